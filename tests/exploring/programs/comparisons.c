/* Comparisons of bytes and of words made of them, signed and unsigned. */
#define SIZE 2
#include "paths.h"

static void explore_me(uint8_t *x) {
    uint16_t word = (uint16_t)(x[0] | x[1] << 8);
    if (word < 1000)
        step(1);
    else if ((int16_t)word < -20000)
        step(2);
    else
        step(3);
    if (x[0] == x[1])
        step(4);
    if (word * 3 == 3 * 0x1234)
        step(5);
}
