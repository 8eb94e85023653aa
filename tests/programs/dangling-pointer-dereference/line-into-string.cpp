// A line is read into a string that is deleted.
// RUN: stdin "one\ntwo\n"
#include <iostream>
#include <string>

int main() {
    std::string *line = new std::string;
    std::getline(std::cin, *line);
    std::cout << *line << '\n';
    delete line;
    std::getline(std::cin, *line); // EXPECT dangling-pointer-dereference
    return 0;
}
