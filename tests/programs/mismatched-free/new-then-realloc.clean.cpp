// A buffer from malloc is made larger with realloc.
#include <cstdlib>
#include <cstring>

int main(int argc, char **) {
    char *buffer = static_cast<char *>(std::malloc(8));
    std::strcpy(buffer, "seven..");
    buffer = static_cast<char *>(std::realloc(buffer, 8 + argc));
    int length = std::strlen(buffer);
    std::free(buffer);
    return length != 7;
}
