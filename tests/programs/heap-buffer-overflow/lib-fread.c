// fread is given one item more than the buffer holds.
// RUN: stdin "0123456789abcdefghijklmnopqrstuvwxyz"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(5 * sizeof *p); // ALLOC
    size_t n = fread(p, sizeof *p, 6, stdin); // EXPECT heap-buffer-overflow write * block 20 after 0 in fread
    free(p);
    return n != 6;
}
