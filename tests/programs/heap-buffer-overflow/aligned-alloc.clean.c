// Writes the first and last byte of a block aligned to 64 bytes.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = aligned_alloc(64, 192);
    if ((uintptr_t)p % 64)
        return 1;
    p[191] = 1;
    p[0] = 1;
    free(p);
    return 0;
}
