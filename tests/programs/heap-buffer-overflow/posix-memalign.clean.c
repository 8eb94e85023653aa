// Reads all of a page-aligned block of 100 bytes.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    void *p = NULL;
    if (posix_memalign(&p, 4096, 100) || (uintptr_t)p % 4096)
        return 1;
    memset(p, 0, 100);
    int v = ((char *)p)[99];
    free(p);
    return v == 99;
}
