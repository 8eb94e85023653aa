// The length of a part of a local array is the distance of its ends.
// RUN: options --enable pointer-subtraction
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static size_t length(const char *begin, const char *end) {
    return (size_t)(end - begin);
}

int main(void) {
    char line[32] = "name=value", word[32] = "name";
    char *volatile end = line + strlen(word);
    printf("%d\n", length(line, end) == 4);
    return 0;
}
