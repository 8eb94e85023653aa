/* The origins of values that share the four bytes of a cell: bytes, short integers, and what was
 * copied to a position of its own. Such a cell has WH_ORIGIN_PARTS in place of a node, and its
 * bytes as they were last stored; the node of each byte stands in a plane of their own. A byte
 * with bit-fields has WH_ORIGIN_PARTS there, and the node of each bit stands in a third plane. */
#ifndef WHENCE_ORIGINS_PARTS_H
#define WHENCE_ORIGINS_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include "cell.h"

/* Reserves the planes. 0, or -errno with the range. */
long parts_init(uintptr_t *begin, size_t *size);

/* `count` bytes from the address on, which are in one cell, get a value with this node, 0 if it is
 * not known. */
void parts_put(cell *of, uintptr_t address, unsigned count, uint32_t value, uint32_t node);

/* The node of such bytes, if all have the same one and hold this value; else 0. */
uint32_t parts_node(const cell *of, uintptr_t address, unsigned count, uint32_t value);

/* Whether something is known to have been stored in one of such bytes. */
int parts_stored(const cell *of, uintptr_t address, unsigned count);

/* Whether such bytes hold this value. */
int parts_hold(const cell *of, uintptr_t address, unsigned count, uint32_t value);

/* The node of one byte as it was last stored, 0 if it is not known or the byte's bits have several.
 */
uint32_t parts_of_byte(const cell *of, uintptr_t address);

/* The nodes of a byte's bits, NULL if they have none of their own. */
const uint32_t *parts_bits(const cell *of, uintptr_t address);

/* Some bits of a byte, a mask, get their values in `byte` with this node, 0 if it is not known. */
void parts_put_bits(cell *of, uintptr_t address, uint8_t mask, uint8_t byte, uint32_t node);

/* The node of such bits, if all have the same one and hold these values; else 0. */
uint32_t parts_node_bits(const cell *of, uintptr_t address, uint8_t mask, uint8_t byte);

/* Whether something is known to have been stored in one of such bits. */
int parts_stored_bits(const cell *of, uintptr_t address, uint8_t mask);

#endif
