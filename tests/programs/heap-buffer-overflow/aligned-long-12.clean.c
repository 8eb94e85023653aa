// An aligned 8-byte load and an aligned 4-byte load take in a block of 12 bytes exactly.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(12);
    memset(p, 0, 12);
    long first = *(long *)p;
    int last = *(int *)(p + 8);
    free(p);
    return first + last != 0 && first == 1;
}
