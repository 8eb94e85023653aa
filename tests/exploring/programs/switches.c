/* A switch with dense and with far cases, and one case that is reached by falling through. */
#define SIZE 2
#include "paths.h"

static void explore_me(uint8_t *x) {
    switch (x[0]) {
    case 'a':
        step(1);
        /* fall through */
    case 'b':
        step(2);
        break;
    case 3:
    case 200:
        step(3);
        break;
    default:
        step(4);
    }
    if (x[1] > 100)
        step(5);
    else
        step(6);
}
