// A program that is linked statically copies a string into a block with room for its final zero.
// RUN: ldflags -static
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "static";
    char *copy = malloc(strlen(name) + 1);
    strcpy(copy, name);
    puts(copy);
    free(copy);
    return 0;
}
