// sprintf of a number whose terminator is the last byte of the block.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *s = malloc(6);
    int n = sprintf(s, "%d", 12345);
    free(s);
    return n == 99;
}
