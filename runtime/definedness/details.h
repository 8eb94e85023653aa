/* The undefined bits of mixed granules: a sparse table, a row of a page's granules for each page of
 * memory that ever had some. Rows are never given back. No lock: rows are claimed by
 * compare-and-swap, and who writes a detail holds its granule (memory.c). */
#ifndef WHENCE_VALUES_DETAILS_H
#define WHENCE_VALUES_DETAILS_H

#include <stddef.h>
#include <stdint.h>

struct detail {
    uint64_t bits;   /* undefined ones */
    uint64_t value;  /* the granule's bytes when the bits were noted */
    uint64_t origin; /* of the undefined bits; above it a mark of the block (granule.c) */
};

/* Reserves the table. 0, or -errno and the range that could not be reserved. */
long details_init(uintptr_t *begin, size_t *size);

/* The detail of a granule, zero at first; NULL if the table has no room for its page. */
struct detail *details_at(uintptr_t granule);

/* The same if the page has a row, else NULL. */
struct detail *details_find(uintptr_t granule);

#endif
