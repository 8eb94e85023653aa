// Inline assembly reads and writes a block at its ends, and gives back pointers that the compiler
// cannot follow.
#include <stdlib.h>
#include <string.h>

static char *hide(char *p) {
    __asm__("" : "+r"(p));
    return p;
}

int main(void) {
    long *p = malloc(5 * sizeof *p);
    memset(p, 0, 40);
    __asm__ volatile("movq $7, %0" : "=m"(p[4]));
    __asm__ volatile("incq (%0)" : : "r"(p) : "memory");
    long v;
    __asm__ volatile("movq %1, %0" : "=r"(v) : "m"(p[4]));
    char *q = hide((char *)p);
    q[39]++;
    const char *from = "0123456789";
    char *to = malloc(10);
    char *d = to;
    long n = 10;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(d), "+c"(n) : : "memory");
    int ok = p[0] == 1 && v == 7 && q[39] == 1 && to[9] == '9' && d == to + 10;
    free(p);
    free(to);
    return !ok;
}
