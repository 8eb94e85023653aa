// A program that is linked statically copies a string into a block without room for its final zero.
// RUN: ldflags -static
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "static";
    char *copy = malloc(strlen(name)); // ALLOC
    strcpy(copy, name); // EXPECT heap-buffer-overflow write 7 block 6 after 0 in strcpy
    puts(copy);
    free(copy);
    return 0;
}
