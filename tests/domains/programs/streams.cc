// Through streams of the C++ library, and from one of them into another.
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

int main() {
    std::string first, rest;
    std::cin >> first;
    std::getline(std::cin, rest);
    std::ostringstream line;
    line << "true a quite long command " << 5 << ' ';
#ifdef CLEAN
    line << rest.size();
#else
    line << first;
#endif
    std::string copy = line.str();
    std::istringstream again(copy);
    std::string command, word;
    while (again >> word) command += word + " ";
    return std::system(command.c_str()); // expect: foreign-command
}
