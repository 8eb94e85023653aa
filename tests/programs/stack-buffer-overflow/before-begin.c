// A function that is given a local array reads the byte before it.
#include <string.h>

__attribute__((noinline)) static int last_of(const char *text, size_t length) {
    return text[length - 1];  // EXPECT stack-buffer-overflow read 1 block 16 before 1
}

int main(void) {
    char line[16] = "";
    return last_of(line, strlen(line)) == '\n';
}
