// The pages of a freed block are unmapped, and another block is used.
// ASan reports this: the block that the program gets next may lie on the pages that are gone
#include <stdlib.h>
#include <sys/mman.h>

int main(void) {
    void *p;
    if (posix_memalign(&p, 4096, 8192))
        return 1;
    char *q;
    free(p);
    munmap(p, 8192);
    q = calloc(1, 8192);
    int result = q[5000];
    free(q);
    return result;
}
