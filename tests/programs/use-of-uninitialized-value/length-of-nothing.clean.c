// The length of an empty text is taken.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char *text = malloc(100);
    if (!text)
        return 1;
    text[0] = 0;
    if (argc > 1)
        strcpy(text, argv[1]);
    printf("%zu\n", strlen(text));
    free(text);
    return 0;
}
