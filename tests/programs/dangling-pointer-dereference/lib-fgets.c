// fgets into a buffer after free.
// RUN: stdin "a line\n"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(80); // ALLOC
    free(p); // FREE
    char *line = fgets(p, 80, stdin); // EXPECT dangling-pointer-dereference write * block 80 inside 0 in fgets
    return !line;
}
