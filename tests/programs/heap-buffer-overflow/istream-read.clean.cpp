// istream::read stores more characters than the buffer holds.
// RUN: stdin "0123456789abcdef"
#include <iostream>
#include <memory>

int main() {
    std::unique_ptr<char[]> buffer(new char[16]);
    std::cin.read(buffer.get(), 16);
    return buffer[0] != '0';
}
