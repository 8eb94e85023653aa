// istream::read stores more characters than the buffer holds.
// RUN: stdin "0123456789abcdef"
#include <iostream>
#include <memory>

int main() {
    std::unique_ptr<char[]> buffer(new char[10]); // ALLOC
    std::cin.read(buffer.get(), 16); // EXPECT heap-buffer-overflow write 16 block 10 after 0 in std::istream::read
    return buffer[0] != '0';
}
