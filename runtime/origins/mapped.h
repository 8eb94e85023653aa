/* Files that the program has mapped: what its memory holds of them.
 *
 * Each has a second mapping, which nobody writes to. Memory that differs from it was changed by the
 * program, or by code that nobody sees. */
#ifndef WHENCE_ORIGINS_MAPPED_H
#define WHENCE_ORIGINS_MAPPED_H

#include <stdint.h>
#include "nodes.h"

struct mapped {
    struct whence_origin_site *call;
    uint32_t source;
    uint64_t offset; /* in the file */
};

/* A file of `left` bytes from the offset on is mapped at an address. */
void mapped_add(struct mapped what, int file, uintptr_t begin, uint64_t size, uint64_t left);

/* Memory is mapped in another way, or no more. */
void mapped_cut(uintptr_t begin, uint64_t size);

/* How many bytes from an address on, of so many, come from a file and are as they are there, and
 * where in it. */
uint64_t mapped_find(uintptr_t address, uint64_t size, struct mapped *found);

#endif
