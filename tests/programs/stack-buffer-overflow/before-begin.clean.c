// A function that is given a local array reads its first byte.
#include <string.h>

__attribute__((noinline)) static int last_of(const char *text, size_t length) {
    return text[length ];
}

int main(void) {
    char line[16] = "";
    return last_of(line, strlen(line)) == '\n';
}
