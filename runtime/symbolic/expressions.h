/* Expressions of symbolic bytes (whence.abi.symbolic). Each exists once, has a number, and knows
 * its value under this run's input. One that is made is written to the trace, constants of their
 * own included. */
#ifndef WHENCE_SYMBOLIC_EXPRESSIONS_H
#define WHENCE_SYMBOLIC_EXPRESSIONS_H

#include <stddef.h>
#include <stdint.h>
#include "whence_abi.h"

/* In place of an op. */
enum { EXPRESSION_CONSTANT = 0x80, EXPRESSION_INPUT };

/* Of an input: a is the object, b the offset. Of a lookup: c is the table. `decided`: the path has
 * a decision about it. */
struct expression {
    uint64_t value;
    uint32_t a, b, c;
    uint8_t width, op, parameter, decided;
};

/* Reserves the table. 0, or -errno with the range. */
long expressions_init(uintptr_t *begin, size_t *size);

/* Paths will have some: what each writes is there, so that it is not read before it is. */
void expressions_prepare(void);

struct expression *expression_at(uint32_t number);
uint32_t expression_constant(unsigned width, uint64_t value);
uint32_t expression_input(uint32_t object, uint32_t offset, uint8_t value);
/* 0 if there is no room for more. Operands are numbers of expressions; those that the op does
 * not have are 0. `width` is that of the result. */
uint32_t expression_make(unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c,
                         unsigned parameter);

static inline uint32_t expression_extract(uint32_t a, unsigned lowest, unsigned width) {
    return expression_make(WH_OP_EXTRACT, width, a, 0, 0, lowest);
}

/* `value`, the element at the address `a` of a table of the trace; `width` is that of an element.
 */
uint32_t expression_lookup(uint32_t a, uint32_t table, unsigned width, uint64_t value);

/* Zero-extended or cut off. */
uint32_t expression_resized(uint32_t a, unsigned width);
uint32_t expression_not(uint32_t a);

/* Whether it depends on an input. */
int expression_varies(uint32_t number);

#endif
