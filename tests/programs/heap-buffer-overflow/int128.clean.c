// Reads the last 16-byte integer of a block.
#include <stdlib.h>
#include <string.h>

typedef __int128 wide __attribute__((aligned(8)));

int main(void) {
    char *p = malloc(48);
    memset(p, 0, 40);
    wide w = *(wide *)(p + 32);
    free(p);
    return w == 1;
}
