// Reads after the end of a page-aligned block of 100 bytes.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    void *p = NULL;
    if (posix_memalign(&p, 4096, 100) || (uintptr_t)p % 4096) // ALLOC
        return 1;
    memset(p, 0, 100);
    int v = ((char *)p)[100]; // EXPECT heap-buffer-overflow read 1 block 100 after 0
    free(p);
    return v == 99;
}
