// Every alignment that malloc and its relatives promise, with blocks used to their last byte.
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check(void *p, size_t alignment, size_t size) {
    if (!p || (uintptr_t)p % alignment)
        return 1;
    memset(p, 0x5a, size);
    free(p);
    return 0;
}

int main(void) {
    int bad = 0;
    for (size_t n = 1; n < 300; n += 13)
        bad += check(malloc(n), 16, n) + check(calloc(n, 1), 16, n) + check(realloc(NULL, n), 16, n);
    for (size_t a = 8; a <= 1 << 16; a *= 2) {
        void *p = NULL;
        bad += posix_memalign(&p, a, 3 * a - 1) || check(p, a, 3 * a - 1);
        bad += check(aligned_alloc(a, a), a, a);
        bad += check(memalign(a, 10), a, 10);
    }
    bad += check(valloc(100), getpagesize(), 100);
    bad += check(reallocarray(NULL, 10, 10), 16, 100);
    void *p = aligned_alloc(1024, 2048);
    memset(p, 7, 2048);
    char *q = realloc(p, 5000);
    bad += q[0] != 7 || q[2047] != 7;
    free(q);
    return bad;
}
