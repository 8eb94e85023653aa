// A range of addresses without reports ends before the byte that is read.
// ASan misses this: it has no requests about reports of a range
#include <stdlib.h>
#include <string.h>

/* As in valgrind/memcheck.h, which is not on every machine. */
static unsigned long request(unsigned long number, const void *begin, unsigned long size) {
    volatile unsigned long _zzq_args[6] = {number, (unsigned long)begin, size, 0, 0, 0};
    unsigned long result = 0;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(&_zzq_args[0]), "0"(result)
                     : "cc", "memory");
    return result;
}

enum { ENABLE_IN_RANGE = ('M' << 24 | 'C' << 16) + 13, DISABLE_IN_RANGE };

__attribute__((noinline)) static int sum(const char *bytes, size_t count) {
    int total = 0;
    for (size_t i = 0; i < count; i++) total += bytes[i];
    return total;
}

int main(void) {
    char *block = calloc(20, 1), copy[4]; // ALLOC
    if (!block)
        return 1;
    if (!request(DISABLE_IN_RANGE, block + 20, 8))
        return 2;
    int total = sum(block, 23);
    memcpy(copy, block + 20, 4);
    if (!request(ENABLE_IN_RANGE, block + 24, 4))
        return 3;
    total += block[24]; // EXPECT heap-buffer-overflow read 1 block 20 after 4
    free(block);
    return total == 1000 && copy[0] == 7;
}
