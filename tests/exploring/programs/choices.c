/* Independent choices among three ways: 3 to the power of CHOICES paths, 6561 for eight. */
#include <klee/klee.h>

#ifndef CHOICES
#define CHOICES 8
#endif

volatile int taken[3];

int main(void) {
    unsigned char x[CHOICES];
    klee_make_symbolic(x, sizeof x, "x");
    for (int i = 0; i < CHOICES; i++) {
        if (x[i] < 50)
            taken[0]++;
        else if (x[i] < 100)
            taken[1]++;
        else
            taken[2]++;
    }
    return 0;
}
