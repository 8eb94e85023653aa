/* The trace of this path: a file that is mapped shared (whence.abi.symbolic). */
#ifndef WHENCE_SYMBOLIC_TRACE_H
#define WHENCE_SYMBOLIC_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include "whence_abi.h"

/* Maps the file of the traces; all paths of a server use it, one after the other. 0 if it cannot be
 * mapped. */
int trace_map(int file);
/* Before a path: what the last one wrote does not count. */
void trace_forget(void);
/* Begins the trace of this path, if a file is mapped. */
void trace_open(void);
/* Whether there is one. */
int trace_is_open(void);

/* One thread at a time makes expressions and records. 0 if there is no trace, or if the calling
 * thread holds the lock already: a signal handler has interrupted it. */
int trace_lock(void);
void trace_unlock(void);

/* A record; the trace is locked. Ends the path where there is no room. */
void trace_put(unsigned kind, unsigned op, unsigned width, uint32_t id, unsigned count,
               const uint64_t *operands);
/* The same with text behind the operands; returns where it stands. */
const char *trace_put_text(unsigned kind, uint32_t id, unsigned count, const uint64_t *operands,
                           const char *text, size_t length);

/* The last record, from wherever the path ends; only the first end counts. */
void trace_end(unsigned how, uint64_t status);
/* The same by the server, for a path that has ended and could not write it. */
void trace_end_of_child(unsigned how, uint64_t status);

/* The number of a place in the code, by the return address there; the trace is locked. */
uint32_t trace_site(uint64_t pc);
/* The same, and whether this path comes there for the first time. line: the byte of the last line
 * of its block, 0 if it is not known (covered.h). */
uint32_t trace_new_site(uint64_t pc, uint64_t line, int *is_new);

#endif
