// Code that is not seen ends where a block goes on with what it was filled with; a copy has more.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 64, WRITTEN = 8, MORE = 5 };

/* Copies where no output operand says so, as code of another language or a library does. */
__attribute__((noinline)) static void unseen(void *to, const void *from, unsigned long n) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

__attribute__((noinline)) static unsigned char *copied(const unsigned char *from, unsigned long n) {
    unsigned char *copy = malloc(SIZE);
    if (!copy) exit(1);
    memcpy(copy, from, n);
    return copy;
}

int main(void) {
    unsigned char *block = malloc(SIZE); // BORN
    void *other = malloc(SIZE);
    if (!block || !other) return 1;
    unseen(block, "finished", WRITTEN);
    unsigned char *copy = copied(block, WRITTEN + MORE);
    if (copy[WRITTEN + MORE - 1] == 7) // EXPECT use-of-uninitialized-value use branch
        puts("seven");
    free(copy);
    free(other);
    free(block);
    return 0;
}
