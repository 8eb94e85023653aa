// A string is made of an array that is not terminated.
#include <cstring>
#include <string>

int main() {
    char *name = new char[5];
    std::memcpy(name, "abcde", 5);
    std::string copy(name, 5);
    delete[] name;
    return copy.size() != 5;
}
