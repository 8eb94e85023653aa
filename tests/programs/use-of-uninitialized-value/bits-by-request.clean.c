// Which bits are undefined is copied by Valgrind's client requests, and a defined one is used.
// RUN: options --enable use-of-uninitialized-value
#include <stdlib.h>
#include <string.h>

enum { GET_BITS = ('M' << 24 | 'C' << 16) + 8, SET_BITS, DEFINE_ACCESSIBLE = GET_BITS + 3 };

/* As in valgrind/memcheck.h, which is not on every machine. */
static unsigned long request(unsigned long number, const void *begin, unsigned long a,
                             unsigned long b) {
    volatile unsigned long _zzq_args[6] = {number, (unsigned long)begin, a, b, 0, 0};
    unsigned long result = 0;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(&_zzq_args[0]), "0"(result)
                     : "cc", "memory");
    return result;
}

int main(void) {
    unsigned char bits[8], *from = malloc(8), *to = calloc(8, 1), *other = malloc(8);
    if (!from || !to || !other)
        return 1;
    from[3] = 1;
    if (request(GET_BITS, from, (unsigned long)bits, 8) != 1)
        return 2;
    if (bits[3] != 0 || bits[4] != 0xff) // the request wrote all of them
        return 3;
    if (request(SET_BITS, to, (unsigned long)bits, 8) != 1)
        return 4;
    if (request(GET_BITS, to, (unsigned long)bits, 9) != 3) // more than there is
        return 5;
    request(DEFINE_ACCESSIBLE, other, 8, 0);
    if (other[7] == 100)
        to[3] = 1;
    if (to[3] == 7)
        abort();
    free(from), free(to), free(other);
    return 0;
}
