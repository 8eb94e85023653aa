// A line is read into a string that is deleted behind that.
// RUN: stdin "one\ntwo\n"
#include <iostream>
#include <string>

int main() {
    std::string *line = new std::string;
    std::getline(std::cin, *line);
    std::cout << *line << '\n';
    std::getline(std::cin, *line);
    delete line;
    return 0;
}
