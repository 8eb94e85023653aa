/* The border to generated code that counts edges and shows comparisons (whence.abi.fuzz). */
#ifndef WHENCE_EDGES_H
#define WHENCE_EDGES_H

#include <stdint.h>
#include "whence_abi.h"

/* Generated code shows comparisons only while this is not 0. */
extern uint8_t __whence_edges_traced;

/* `main` begins; where the program's counters begin and end. */
void __whence_edges_begin(uintptr_t begin, uintptr_t end);
/* The same, for a `main` that gets inputs from here: 0, and nothing begins, where nobody fuzzes. */
int __whence_edges_input(uintptr_t begin, uintptr_t end, const uint8_t **bytes, uint64_t *size);
/* Two integers of so many bytes are compared. */
void __whence_edges_compared(uint64_t first, uint64_t second, uint32_t width);
/* An integer chooses among so many cases as the first word says, which follow. */
void __whence_edges_switched(uint64_t value, const uint64_t *cases, uint32_t width);

#endif
