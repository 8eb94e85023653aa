/* Cells: the origins of the values in memory (whence.abi.origins), and the functions of generated
 * code that change them. */
#ifndef WHENCE_ORIGINS_CELLS_H
#define WHENCE_ORIGINS_CELLS_H

#include "nodes.h"

/* What a call passes, and the last use of a pointer: generated code reads and writes it. */
struct origins_passed {
    struct whence_origin_passed passed;
    uint64_t arguments[WHENCE_ORIGIN_ARGUMENTS];
};
extern __thread struct origins_passed __whence_origins;

/* Reserves everything. 0, or -errno with the range. */
long origins_init(uintptr_t *begin, size_t *size);

/* The node of the pointer by which the block that begins here was freed; 0 if it is not known. */
uint32_t cells_freed(uintptr_t begin);

#endif
