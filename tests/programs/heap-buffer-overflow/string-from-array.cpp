// A string is made of an array that is not terminated.
#include <cstring>
#include <string>

int main() {
    char *name = new char[5]; // ALLOC
    std::memcpy(name, "abcde", 5);
    std::string copy(name); // EXPECT heap-buffer-overflow read 6 block 5 after 0
    delete[] name;
    return copy.size() != 5;
}
