// The pages of a freed block are unmapped, and then used.
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
    void *p;
    if (posix_memalign(&p, 4096, 8192)) // ALLOC
        return 1;
    char *q = p;
    free(p); // FREE
    munmap(p, 8192);
    return q[5000]; // EXPECT dangling-pointer-dereference read 1 block 8192 inside 5000
}
