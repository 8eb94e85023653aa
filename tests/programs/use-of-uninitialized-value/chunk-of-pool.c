// A chunk of a memory pool, which the program describes to Valgrind, is used before it is written; one of a pool of zeroes is not.
// RUN: options --enable use-of-uninitialized-value
// ASan misses this: it does not look for undefined values
#include <stdlib.h>

/* As in valgrind/valgrind.h, which is not on every machine. */
static unsigned long request(unsigned long number, const void *begin, unsigned long a,
                             unsigned long b, unsigned long c) {
    volatile unsigned long _zzq_args[6] = {number, (unsigned long)begin, a, b, c, 0};
    unsigned long result = 0;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t" // BORN
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(&_zzq_args[0]), "0"(result)
                     : "cc", "memory");
    return result;
}

enum { CREATE_MEMPOOL = 0x1303, MEMPOOL_ALLOC = 0x1305 };

int main(void) {
    char *memory = calloc(1, 1000), *zeroes = memory + 500;
    if (!memory)
        return 1;
    request(CREATE_MEMPOOL, memory, 8, 0, 0);
    request(CREATE_MEMPOOL, zeroes, 8, 1, 0);
    request(MEMPOOL_ALLOC, memory, (unsigned long)(memory + 64), 24, 0);
    request(MEMPOOL_ALLOC, zeroes, (unsigned long)(zeroes + 64), 24, 0);
    for (int i = 0; i < 16; i++) memory[64 + i] = 1;
    if (zeroes[64 + 20] == 7)
        abort();
    if (memory[64 + 20] == 7) // EXPECT use-of-uninitialized-value use branch
        abort();
    free(memory);
    return 0;
}
