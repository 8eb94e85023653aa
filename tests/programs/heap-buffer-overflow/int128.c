// Reads a 16-byte integer of which only the first 8 bytes belong to the block.
#include <stdlib.h>
#include <string.h>

typedef __int128 wide __attribute__((aligned(8)));

int main(void) {
    char *p = malloc(40); // ALLOC
    memset(p, 0, 40);
    wide w = *(wide *)(p + 32); // EXPECT heap-buffer-overflow read 16 block 40 after 0
    free(p);
    return w == 1;
}
