// The program tells Valgrind that a freed block is defined, and reads it.
// ASan misses this: it does not know Valgrind's client requests
// Memcheck misses this: the request makes freed memory accessible
#include <stdlib.h>
#include <string.h>

enum { MAKE_UNDEFINED = 'M' << 24 | 'C' << 16 | 1, MAKE_DEFINED };

/* As in valgrind/memcheck.h, which is not on every machine. */
static void request(unsigned long number, const void *begin, unsigned long size) {
    volatile unsigned long _zzq_args[6] = {number, (unsigned long)begin, size, 0, 0, 0};
    unsigned long result = 0;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(&_zzq_args[0]), "0"(result)
                     : "cc", "memory");
}

int main(void) {
    char *p = malloc(100), *q = malloc(100); // ALLOC
    memset(p, 1, 100);
    memset(q, 1, 100);
    free(p); // FREE
    request(MAKE_DEFINED, p, 100);
    request(MAKE_UNDEFINED, p + 10, 50);
    request(MAKE_DEFINED, q, 4096);
    int result = p[50]; // EXPECT dangling-pointer-dereference read 1 block 100 inside 50
    free(q);
    return result;
}
