// A length that became negative is given to malloc.
// RUN: options --enable absurd-size
#include <stdlib.h>
#include <string.h>

static char *without_prefix(const char *text, size_t prefix) {
    char *rest = malloc(strlen(text) - prefix); // EXPECT absurd-size in malloc
    if (rest)
        rest[0] = 0;
    return rest;
}

int main(void) {
    free(without_prefix("abc", 10));
    return 0;
}
