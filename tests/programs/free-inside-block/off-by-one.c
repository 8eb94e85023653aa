// Frees an address one byte after the begin of a block.
#include <stdlib.h>

int main(void) {
    char *p = malloc(10); // ALLOC
    p++;
    free(p); // EXPECT free-inside-block block 10 inside 1
    return 0;
}
