// A buffer from new[] is made larger with realloc.
#include <cstdlib>
#include <cstring>

int main(int argc, char **) {
    char *buffer = new char[8]; // ALLOC
    std::strcpy(buffer, "seven..");
    buffer = static_cast<char *>(std::realloc(buffer, 8 + argc)); // EXPECT mismatched-free block 8 inside 0
    int length = std::strlen(buffer);
    std::free(buffer);
    return length != 7;
}
