/* Sizes: for each block, whence the arguments came that gave it its size (whence.abi.origins). */
#ifndef WHENCE_ORIGINS_SIZES_H
#define WHENCE_ORIGINS_SIZES_H

#include <stddef.h>
#include <stdint.h>
#include "../include/whence/origins.h"
#include "../include/whence/rules.h"

#define SIZING_VALUES 4u

/* The size, or count and size of an element; then the operands of the first of them that was
 * computed. */
struct sizing {
    uint64_t id; /* of the block; 0: none yet */
    uint64_t values[SIZING_VALUES];
    uint32_t nodes[SIZING_VALUES];
    uint8_t roles[SIZING_VALUES]; /* WH_ROLE_*; 0: there is no such value */
    uint32_t signs;               /* a bit for each value whose type has a sign */
};

/* Reserves the room. 0, or -errno with the range. */
long sizes_init(uintptr_t *begin, size_t *size);

/* What is known of the size of a live block; NULL if nothing is, or it has another size by now. */
const struct sizing *sizing_of(const struct whence_block *block);

#endif
