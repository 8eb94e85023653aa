/* Which bytes of memory have symbolic values: a word for each (whence.abi.symbolic). A word counts
 * only while the byte has the value that the expression has in this run: where it has another, code
 * that does not follow expressions has written it. */
#ifndef WHENCE_SYMBOLIC_MEMORY_H
#define WHENCE_SYMBOLIC_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Reserves the plane. 0, or -errno with the range. */
long memory_init(uintptr_t *begin, size_t *size);

/* The bytes around an address will have expressions: paths need not make room for them. */
void memory_prepare(uintptr_t at);

/* Whether no byte of the range can be symbolic; quick. */
int memory_is_plain(uintptr_t at, size_t size);
/* Whether some of them may be. */
int memory_marks(uintptr_t at, size_t size);
/* The expression of `size` bytes, at most 8, that hold `value`; 0 if they are concrete. */
uint32_t memory_load(uintptr_t at, unsigned size, uint64_t value);
/* What memory_load of a byte says. */
uint32_t memory_byte(uintptr_t at);
/* An expression, or 0, is stored into `size` bytes. */
void memory_store(uintptr_t at, unsigned size, uint32_t expression);
void memory_clear(uintptr_t at, size_t size);

/* An element of an array (arrays.h) lies there: its number. */
void memory_mark(uintptr_t at, unsigned size, uint32_t number);
/* How many bytes are still so marked. */
unsigned memory_marked(uintptr_t at, unsigned size, uint32_t number);
/* What is so marked gets the parts of an expression; 0: is concrete. */
void memory_unmark(uintptr_t at, unsigned size, uint32_t number, uint32_t expression);

/* Bytes are copied, or will be. */
void memory_copy(uintptr_t to, uintptr_t from, size_t size);
/* Binds what is symbolic in a range to its values. */
void memory_bind(uintptr_t at, size_t size, unsigned reason, uint64_t pc);

#endif
