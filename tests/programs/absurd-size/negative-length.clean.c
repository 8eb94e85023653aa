// A length that is positive is given to malloc.
// RUN: options --enable absurd-size
#include <stdlib.h>
#include <string.h>

static char *without_prefix(const char *text, size_t prefix) {
    char *rest = malloc(strlen(text) - prefix);
    if (rest)
        rest[0] = 0;
    return rest;
}

int main(void) {
    free(without_prefix("abc", 2));
    return 0;
}
