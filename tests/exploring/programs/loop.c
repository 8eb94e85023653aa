/* A loop whose number of rounds is symbolic, with a way out of it. */
#define SIZE 2
#include "paths.h"

static void explore_me(uint8_t *x) {
    for (int i = 0; i < (x[0] & 7); i++) {
        step(1);
        if (i == x[1]) {
            step(2);
            return;
        }
    }
    step(3);
}
