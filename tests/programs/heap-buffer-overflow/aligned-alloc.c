// Writes before the begin of a block aligned to 64 bytes.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = aligned_alloc(64, 192); // ALLOC
    if ((uintptr_t)p % 64)
        return 1;
    p[191] = 1;
    p[-1] = 1; // EXPECT heap-buffer-overflow write 1 block 192 before 1
    free(p);
    return 0;
}
