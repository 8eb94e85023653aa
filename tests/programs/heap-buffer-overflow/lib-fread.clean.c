// fread is given as many items as the buffer holds.
// RUN: stdin "0123456789abcdefghijklmnopqrstuvwxyz"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(5 * sizeof *p);
    size_t n = fread(p, sizeof *p, 5, stdin);
    free(p);
    return n != 5;
}
