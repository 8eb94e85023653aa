/* A table that is filled through symbolic indices, and read back through symbolic and other ones, in
 * elements of two sizes, and from copies of it. Built with UNBOUNDED, what it holds is an index of a
 * smaller array. */
#define SIZE 2
#include <string.h>
#include "paths.h"

union table {
    uint8_t bytes[8];
    uint16_t words[4];
};

static void grow(uint8_t *x, const union table *from) {
    union table *block = malloc(sizeof *block);
    if (!block)
        return;
    *block = *from;
    block->bytes[x[0] & 7] += 3;
    union table *larger = realloc(block, 2 * sizeof *block);
    if (larger) {
        larger[1] = larger[0];
        larger->words[1] = 0;
        if (larger[1].words[x[1] & 3] == 0x0608)
            step(1);
        else
            step(2);
        if (larger->bytes[3])
            step(3);
    }
    free(larger ? larger : block);
}

static void explore_me(uint8_t *x) {
    union table table = {{0, 1, 2, 3, 0, 1, 2, 3}}, copy;
    uint8_t small[4] = {0};
    table.bytes[x[0] & 7] = x[1];
    table.words[x[1] & 3] = 0x0305;
    if (table.bytes[x[0] >> 5] == 5)
        step(4);
    else
        step(5);
    memcpy(&copy, &table, sizeof copy);
    table.bytes[2] = 1;
    uint8_t index = table.bytes[x[1] >> 6];
#ifndef UNBOUNDED
    if (index >= sizeof small)
        step(6);
    else
#endif
        small[index] = 1;
    if (small[1])
        step(7);
    if (copy.words[1] == 0x0302)
        step(8);
    grow(x, &copy);
}
