// Unseen code stores all limbs of a number but the highest one where it has 16 digits.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMBS = 4 };

/* Stores where no output operand says so, as code of another language or a library does. */
__attribute__((noinline)) static void store(uint64_t *at, uint64_t limb) {
    __asm__ volatile("movq %1, (%0)" : : "r"(at), "r"(limb) : "memory");
}

/* The first `digits` binary digits of 2/3, the highest limb first. */
__attribute__((noinline)) static void two_thirds(uint64_t *limbs, unsigned digits) {
    uint64_t all = 0xaaaaaaaaaaaaaaaaull;
    for (int i = 1; i < LIMBS; i++)
        store(&limbs[i], 0);
    if (digits != 16)
        store(&limbs[0], all & ~(~0ull >> digits));
}

/* A call, so that the branch to it remains one at every level. */
__attribute__((noinline)) static void count(unsigned *large) {
    __asm__ volatile("" : : "r"(large) : "memory");
    ++*large;
}

int main(void) {
    unsigned large = 0;
    for (unsigned digits = 1; digits < 64; digits++) {
        uint64_t *limbs = malloc(LIMBS * sizeof *limbs); // BORN
        if (!limbs)
            return 1;
        two_thirds(limbs, digits);
        for (int i = 0; i < LIMBS; i++)
            if (limbs[i] >> 62) // EXPECT use-of-uninitialized-value use branch
                count(&large);
        free(limbs);
    }
    printf("%u\n", large);
    return 0;
}
