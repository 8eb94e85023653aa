// ostream::write is given more characters than the block has.
#include <cstring>
#include <iostream>

int main() {
    char *text = new char[7]; // ALLOC
    std::memcpy(text, "hello!\n", 7);
    std::cout.write(text, 8); // EXPECT heap-buffer-overflow read 8 block 7 after 0 in std::ostream::write
    delete[] text;
}
