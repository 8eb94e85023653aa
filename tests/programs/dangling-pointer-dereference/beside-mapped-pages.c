// The program maps one page over a freed block, and uses the next one.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
    void *p;
    if (posix_memalign(&p, 4096, 1 << 20)) // ALLOC
        return 1;
    free(p); // FREE
    char *q = mmap(p, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    q[4095] = 1;
    q[4096] = 1; // EXPECT dangling-pointer-dereference write 1 block 1048576 inside 4096
    return 0;
}
