// Frees a block from posix_memalign twice.
#include <stdlib.h>

int main(void) {
    void *p = NULL;
    if (posix_memalign(&p, 256, 1000)) // ALLOC
        return 1;
    free(p); // FREE
    free(p); // EXPECT double-free block 1000 inside 0
    return 0;
}
