// A block is aligned by hand, and the aligned address is freed.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *raw = malloc(200); // ALLOC
    char *p = (char *)(((uintptr_t)raw + 64) & ~(uintptr_t)63);
    p[100] = 1;
    free(p); // EXPECT free-inside-block block 200
    return 0;
}
