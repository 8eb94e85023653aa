// The program maps one page over a freed block, and uses its last byte.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
    void *p;
    if (posix_memalign(&p, 4096, 1 << 20))
        return 1;
    free(p);
    char *q = mmap(p, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    q[4094] = 1;
    q[4095] = 1;
    return 0;
}
