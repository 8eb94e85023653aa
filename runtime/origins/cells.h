/* Cells: the origins of the values in memory (whence.abi.origins). */
#ifndef WHENCE_ORIGINS_CELLS_H
#define WHENCE_ORIGINS_CELLS_H

#include "../include/whence/origins.h"
#include "../settings/options.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "cell.h"
#include "nodes.h"

/* Reserves everything. 0, or -errno with the range. */
long origins_init(uintptr_t *begin, size_t *size);

/* Memory begins to serve another purpose: nothing that was stored there before is believed of it,
 * though unseen code may write equal values. */
void cells_forget(uintptr_t begin, uint64_t size);

/* The same, wherever origins may not be followed. */
static inline void cells_fresh(uintptr_t begin, uint64_t size) {
    if (PORT_PLANES && WH_UNLIKELY(options.origins)) cells_forget(begin, size);
}

/* The cell of an address; NULL if it has none, and none can be made or is wanted. */
cell *cells_at(uintptr_t address, int make);

/* The node of the pointer by which the block that begins here was freed; 0 if it is not known. */
uint32_t cells_freed(uintptr_t begin);

/* Whether the cells have a node for this value of an address. *node: that, else whether another
 * value was stored there. */
int cells_node(uintptr_t address, uint64_t size, uint64_t value, uint32_t *node);

#endif
