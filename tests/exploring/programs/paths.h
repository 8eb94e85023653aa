/* Programs whose paths are known: `explore_me` calls `step` on every branch, so the steps name the
 * path. Built with BRUTE_FORCE, it prints the steps of all inputs; given bytes in hexadecimal as an
 * argument, the steps of these. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long steps = 1;

__attribute__((noinline)) static void step(unsigned way) {
    __asm__ volatile("" : : : "memory");
    steps = steps * 16 + way;
}

static void explore_me(uint8_t *x);

#ifdef BRUTE_FORCE
int main(int count, char **words) {
    uint8_t x[SIZE];
    for (unsigned long input = 0; input < 1ul << 8 * SIZE; input++) {
        for (int i = 0; i < SIZE; i++)
            x[i] = count > 1 ? strtoul((char[]){words[1][2 * i], words[1][2 * i + 1], 0}, 0, 16)
                             : input >> 8 * i;
        steps = 1;
        explore_me(x);
        printf("%lx\n", steps);
        if (count > 1)
            break;
    }
}
#else
#include <klee/klee.h>

int main(void) {
    uint8_t x[SIZE];
    klee_make_symbolic(x, sizeof x, "x");
    explore_me(x);
    return 0;
}
#endif
