// Assembly without instructions hides a value that was never set from the compiler; other assembly computes anew.
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
    int one, other; // BORN
    __asm__("movl $1, %0" : "=m"(one) : "m"(other));
    if (one != 1)
        puts("not stored");
    return other;
}

int main(void) {
    int *number = malloc(sizeof *number); // BORN
    if (!number)
        return 1;
    if (hidden(*number)) // EXPECT use-of-uninitialized-value use branch
        puts("set");
    if (stored()) // EXPECT use-of-uninitialized-value use branch
        puts("set");
    free(number);
    return 0;
}
