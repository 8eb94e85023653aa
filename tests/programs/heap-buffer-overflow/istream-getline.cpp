// istream::getline is told of a larger buffer than there is, and a line is long enough to need it.
// RUN: stdin "short\na line of twenty char\n"
#include <iostream>

int main() {
    char *buffer = new char[12]; // ALLOC
    std::cin.getline(buffer, 80);
    int good = buffer[5] == 0;
    std::cin.getline(buffer, 80); // EXPECT heap-buffer-overflow write 22 block 12 after 0 in std::istream::getline
    delete[] buffer;
    return !good;
}
