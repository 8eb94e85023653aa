// The length of a text is taken that was never written.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char *text = malloc(100); // BORN
    if (!text)
        return 1;
    if (argc > 1)
        strcpy(text, argv[1]);
    printf("%zu\n", strlen(text)); // EXPECT use-of-uninitialized-value use memory in strlen
    free(text);
    return 0;
}
