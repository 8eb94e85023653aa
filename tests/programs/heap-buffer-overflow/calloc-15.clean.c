// Reads byte 14 of a block of 3 times 5 bytes from calloc.
#include <stdlib.h>

int main(void) {
    char *p = calloc(3, 5);
    int v = p[14];
    free(p);
    return v == 99;
}
