/* Symbolic bytes through memory: copies, structs, shifts, sign extension, function arguments. */
#define SIZE 2
#include <string.h>
#include "paths.h"

struct pair {
    int8_t first;
    uint8_t second;
};

__attribute__((noinline)) static int judge(struct pair *pair, long offset) {
    return pair->first + offset > pair->second;
}

static void explore_me(uint8_t *x) {
    struct pair pair, copy;
    memcpy(&pair, x, sizeof pair);
    copy = pair;
    if (judge(&copy, 10))
        step(1);
    else
        step(2);
    uint32_t word = (uint32_t)(uint8_t)copy.first << 24 | copy.second;
    if (word >> 28 == 0xa)
        step(3);
    if ((word ^ word >> 24) % 16 == 5)
        step(4);
    else
        step(5);
}
