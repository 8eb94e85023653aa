// ostream::write is given more characters than the block has.
#include <cstring>
#include <iostream>

int main() {
    char *text = new char[7];
    std::memcpy(text, "hello!\n", 7);
    std::cout.write(text, 7);
    delete[] text;
}
