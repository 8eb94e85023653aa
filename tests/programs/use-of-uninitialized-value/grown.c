// A block has grown, and what it gained was never set.
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
    text = realloc(text, 4 * size); // BORN
    if (!text)
        return 1;
    if (text[2 * size] == 'x') // EXPECT use-of-uninitialized-value use branch
        puts("x");
    free(text);
    return 0;
}
