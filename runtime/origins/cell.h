/* A cell: the node of four bytes, and above it those bytes as they were last stored. */
#ifndef WHENCE_ORIGINS_CELL_H
#define WHENCE_ORIGINS_CELL_H

#include <stdint.h>
#include "whence_abi.h"

typedef uint64_t cell;

static inline cell cell_make(uint32_t node, uint32_t bytes) { return (uint64_t)bytes << 32 | node; }

static inline uint32_t cell_node(cell of) { return (uint32_t)of; }

static inline uint32_t cell_bytes(cell of) { return (uint32_t)(of >> 32); }

/* Whether the bytes have nodes of their own (parts.h). */
static inline int cell_is_divided(cell of) { return cell_node(of) == WH_ORIGIN_PARTS; }

#endif
