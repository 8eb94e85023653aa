// Code that is not seen writes the same bytes in every round, the last of a local array among them.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>

// The compiler does not see what is written.
static void fill(unsigned char *to, unsigned long n) {
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(7) : "memory");
}

int main(void) {
    unsigned long total = 0;
    for (int round = 0; round < 4; round++) {
        unsigned char piece[777];
        fill(piece, sizeof piece);
        for (unsigned i = 0; i < sizeof piece; i++)
            total += piece[i] != 3;
    }
    printf("%lu\n", total);
    return 0;
}
