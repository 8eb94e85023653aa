// A block of the program's own allocator, which it tells Valgrind of, is used before it is written; one that is zeroed is not.
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

enum { MALLOCLIKE_BLOCK = 0x1301 };

static char *arena;
static size_t used = 16;

__attribute__((noinline)) static char *get(size_t size, int zeroed) {
    char *block = arena + used;
    used += (size + 15) / 16 * 16;
    request(MALLOCLIKE_BLOCK, block, size, 0, (unsigned long)zeroed);
    return block;
}

int main(void) {
    arena = calloc(1, 1000);
    if (!arena)
        return 1;
    char *block = get(40, 0), *zeroed = get(40, 1);
    for (int i = 0; i < 20; i++) block[i] = 1;
    if (zeroed[30] == 7)
        abort();
    if (block[30] == 7) // EXPECT use-of-uninitialized-value use branch
        abort();
    free(arena);
    return 0;
}
