/* Memory that the program itself declares inaccessible, and accessible again.
 *
 * A state byte gives the number of leading bytes of a granule that are accessible. So the first
 * bytes of a granule cannot be closed while later ones are open: they stay open. In the heap a
 * request changes only the live block at the begin of its range; elsewhere, all addresses that the
 * plane covers.
 */
#ifndef WHENCE_INTERFACE_POISON_H
#define WHENCE_INTERFACE_POISON_H

#include <stdint.h>
#include "../events/events.h"

/* Opens memory that the program had closed, where it is mapped anew. */
extern const struct observer poison_observer;

void poison_close(uintptr_t begin, uint64_t size);
void poison_open(uintptr_t begin, uint64_t size);

/* The number of bytes in the range that the program has closed. */
uint64_t poison_closed(uintptr_t begin, uint64_t size);

/* The first byte of [begin, begin+size) that may not be accessed for any reason; 0 if there is
 * none. */
uintptr_t poison_first_bad(uintptr_t begin, uint64_t size);

/* How many of the first bytes of a range may be accessed: no state forbids that, and they are
 * mapped. */
uint64_t poison_accessible(uintptr_t begin, uint64_t size);
/* The next byte behind an inaccessible one that may be accessible. */
uintptr_t poison_past(uintptr_t inaccessible);

#endif
