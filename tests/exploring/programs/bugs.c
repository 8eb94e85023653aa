/* One bug for each of some inputs, of one byte: an index out of its block, a division by zero, a
 * use after free, an abort, a leak, an access through a null pointer, and an assertion. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    volatile unsigned char *block = malloc(16);
    block[3] = 1;
    switch (x >> 4) {
    case 1:
        block[(x & 15) + 4] = 2; /* 0x1c to 0x1f */
        break;
    case 2:
        block[0] = 100 / (x - 0x2a); /* 0x2a */
        break;
    case 3:
        if (x == 0x33)
            free((void *)block); /* 0x33 */
        block[1] = 5;
        if (x == 0x33)
            return 0;
        break;
    case 4:
        if (x == 0x45)
            abort(); /* 0x45 */
        break;
    case 5:
        return 0; /* 0x50 to 0x5f */
    case 6:
        *(x == 0x66 ? NULL : block) = 7; /* 0x66 */
        break;
    case 7:
        klee_assert(x != 0x77); /* 0x77 */
        break;
    }
    free((void *)block);
    return 0;
}
