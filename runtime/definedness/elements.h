/* The elements of an array before a function moves them, to find each of them where it is
 * afterwards. */
#ifndef WHENCE_VALUES_ELEMENTS_H
#define WHENCE_VALUES_ELEMENTS_H

#include <stdint.h>

struct elements;

/* A copy of an array's bytes; NULL for one that is no array, is too large, or finds no memory. */
struct elements *elements_keep(uintptr_t base, uint64_t count, uint64_t size);

/* Where the copy lies: an array like the first one, at the same place of a granule. */
uintptr_t elements_begin(const struct elements *kept);
uint64_t elements_bytes(const struct elements *kept);

/* The first element that was equal to these bytes and was not taken before, in the copy; 0: there
 * is none. */
uintptr_t elements_take(struct elements *kept, uintptr_t bytes);

void elements_drop(struct elements *kept);

/* The same for what is known of undefined bytes: NULL where there are none. */
struct elements *values_sorting(uintptr_t base, uint64_t count, uint64_t size);
void values_sorted(uintptr_t base, struct elements *kept);

#endif
