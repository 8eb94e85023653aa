// A block of the program's own allocator has grown in place, and its old bytes are used.
// RUN: options --enable use-of-uninitialized-value
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

enum { MALLOCLIKE_BLOCK = 0x1301, RESIZEINPLACE_BLOCK = 0x130b };

int main(void) {
    char *arena = calloc(1, 1000);
    if (!arena)
        return 1;
    request(MALLOCLIKE_BLOCK, arena + 32, 20, 8, 0);
    for (int i = 0; i < 20; i++) arena[32 + i] = 1;
    request(RESIZEINPLACE_BLOCK, arena + 32, 20, 40, 8);
    if (arena[32 + 19] == 7)
        abort();
    free(arena);
    return 0;
}
