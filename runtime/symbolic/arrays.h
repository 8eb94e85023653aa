/* Arrays with stores through symbolic addresses. Such a store gives each element a new expression:
 * a choice between what is stored and what the element held. It is made when the element is read.
 * Until then the words of the element's bytes have a number of its own (memory.h), and the array
 * has a list of its stores, so that a load through a symbolic address is a choice among these,
 * however many elements there are. */
#ifndef WHENCE_SYMBOLIC_ARRAYS_H
#define WHENCE_SYMBOLIC_ARRAYS_H

#include <stdint.h>
#include "tables.h"
#include "whence_abi.h"

#define ARRAYS_ELEMENTS 256u /* at most, of one */

/* Elements of `size` bytes, a power of two up to 8, from the lowest address on. */
struct elements {
    uintptr_t first;
    uint64_t count, size;
};

/* address: symbolic, or a constant where code has written to that element; 0: a later store has the
 * same. value: an expression, of the element's width. */
struct array_store {
    uint32_t address, value;
    uint64_t pc;
};

/* before: the expression before all stores, 0 if it was concrete; after: that after the first
 * `counted` of them. */
struct array_element {
    uint32_t before, after, counted;
};

/* before, now: the values of the elements' bytes. */
struct array {
    struct elements elements;
    uint32_t store_count;
    struct array_store stores[ARRAYS_ELEMENTS];
    struct array_element of[ARRAYS_ELEMENTS];
    uint8_t before[8 * ARRAYS_ELEMENTS], now[8 * ARRAYS_ELEMENTS];
};

/* A store into an element. 0 if it cannot stay symbolic. */
int arrays_store(const struct elements *elements, const struct reach *reach, uint32_t stored);

/* What a load gives where no store of the array has been to its address. */
typedef uint32_t arrays_before(const struct array *array, const struct reach *reach);
/* The expression of a load; 0 if the elements have no such stores, or none can be made. */
uint32_t arrays_load(const struct elements *elements, const struct reach *reach,
                     arrays_before *before);

/* Whether the number is that of an element. */
static inline int arrays_hold(uint32_t number) { return number >= WH_SYMBOLIC_EXPRESSIONS_MOST; }
/* The expression of such an element; 0 if it is concrete. */
uint32_t arrays_element(uint32_t number);

#endif
