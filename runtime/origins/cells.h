/* Cells: the origins of the values in memory (whence.abi.origins). */
#ifndef WHENCE_ORIGINS_CELLS_H
#define WHENCE_ORIGINS_CELLS_H

#include "../include/whence/origins.h"
#include "cell.h"
#include "nodes.h"

/* Reserves everything. 0, or -errno with the range. */
long origins_init(uintptr_t *begin, size_t *size);

/* Memory begins to serve another purpose: nothing that was stored there before is believed of it,
 * though unseen code may write equal values. */
void cells_forget(uintptr_t begin, uint64_t size);

/* What is known of some bytes is known of equal bytes elsewhere, with no hop between. */
void cells_move(uintptr_t to, uintptr_t from, uint64_t size);

/* Bytes get the values that are there now, with a node; pointers that were there are lost at the
 * site. */
void cells_set(struct whence_origin_site *site, uint32_t node, uintptr_t to, uint64_t size);

/* The library function that is called at the site has written bytes. */
void cells_written(struct whence_origin_site *site, uintptr_t to, uint64_t size);

/* The node of this thread for a value of an address, where the cells have a node for it. */
uint32_t cells_own(struct whence_origin_site *site, uint32_t stored, uintptr_t address,
                   uint64_t size);

/* The node for a value that begins where a site loads it. stored: whether the cells know of a store
 * there; undefined: the flags of one with undefined bits. */
uint32_t cells_born(struct whence_origin_site *site, uintptr_t address, uint64_t size,
                    uint64_t value, int stored, uint32_t undefined);

/* The node of up to four bytes of one cell that are there now; 0: it is not known. It may be an
 * input's. */
uint32_t cells_now(uintptr_t address, unsigned count);

/* Whether nothing was ever stored to a byte that is followed. */
int cells_are_initial(uintptr_t address);

/* The node of a number that a call has computed from a text that begins here; 0: nothing is known
 * of the text. */
uint32_t cells_parsed(struct whence_origin_site *call, uintptr_t text, uint64_t size);

/* The cell of an address; NULL if it has none, and none can be made or is wanted. */
cell *cells_at(uintptr_t address, int make);

/* The node of the pointer by which the block that begins here was freed; 0 if it is not known. */
uint32_t cells_freed(uintptr_t begin);

/* Whether the cells have a node for this value of an address. *node: that, else whether another
 * value was stored there. */
int cells_node(uintptr_t address, uint64_t size, uint64_t value, uint32_t *node);

#endif
