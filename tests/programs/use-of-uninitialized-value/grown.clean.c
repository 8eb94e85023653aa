// A block has grown, and what it had is used.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    (void)argv;
    size_t size = 15 + (size_t)argc;
    char *text = calloc(size, 1);
    if (!text)
        return 1;
    text = realloc(text, 4 * size);
    if (!text)
        return 1;
    if (text[size - 1] == 'x')
        puts("x");
    free(text);
    return 0;
}
