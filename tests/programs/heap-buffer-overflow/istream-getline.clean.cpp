// istream::getline is told of a larger buffer than there is, and a line is long enough to need it.
// RUN: stdin "short\na line of twenty char\n"
#include <iostream>

int main() {
    char *buffer = new char[22];
    std::cin.getline(buffer, 80);
    int good = buffer[5] == 0;
    std::cin.getline(buffer, 80);
    delete[] buffer;
    return !good;
}
