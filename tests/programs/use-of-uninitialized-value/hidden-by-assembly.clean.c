// Assembly without instructions hides a value from the compiler; other assembly computes anew.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int hidden(int value) {
    int zero = value, seen = 3;
    __asm__("xorl %0, %0" : "+r"(zero));
    __asm__("" : "+r"(value), "+r"(seen));
    if (zero || seen != 3)
        puts("not computed");
    return value;
}

__attribute__((noinline)) static int stored(void) {
    int one, other = 1;
    __asm__("movl $1, %0" : "=m"(one) : "m"(other));
    if (one != 1)
        puts("not stored");
    return other;
}

int main(void) {
    int *number = malloc(sizeof *number);
    if (!number)
        return 1;
    *number = 1;
    if (hidden(*number))
        puts("set");
    if (stored())
        puts("set");
    free(number);
    return 0;
}
