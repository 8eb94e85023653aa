/* Calls of code that follows no expressions. */
#ifndef WHENCE_SYMBOLIC_UNSEEN_H
#define WHENCE_SYMBOLIC_UNSEEN_H

#include <stdint.h>

/* A function that allocates, resizes or frees. takes: TAKES_BLOCK if its first argument is the
 * address of a block, TAKES_SIZE if others are sizes. */
struct unseen_allocation {
    const void *function;
    unsigned takes;
};
#define TAKES_BLOCK 1u
#define TAKES_SIZE 2u

/* Programs call these through pointers, too. Blocks are the runtime's, which does not look at what
 * is in them, and what realloc moves keeps its expressions. */
#define UNSEEN_ALLOCATION(name, takes)                                                             \
    static const struct unseen_allocation unseen_##name                                            \
        __attribute__((section("whence_allocations"), used)) = {(const void *)name, takes};

/* The place in the program of the last such call; 0: there was none. */
uint64_t unseen_last(void);

#endif
