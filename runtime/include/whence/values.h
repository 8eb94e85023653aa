/* The border to generated code that follows undefined values.
 *
 * Memory: the definedness plane has a byte for each granule of 8 bytes, (a >> 3) +
 * WH_DEFINED_OFFSET, one of WH_VALUES_* or another:
 *
 *     DEFINED: all bits of the granule are defined.
 *
 *     UNDEFINED: all are undefined if the granule holds a fill word, WH_FILL << WH_FILL_SHIFT |
 *     origin. Otherwise code that is not seen has written there: all are defined.
 *
 *     MIXED: the runtime knows the undefined bits, and the bytes of the granule when it noted them.
 *     If an undefined one has changed since, code that is not seen has written there: all are
 *     defined.
 *
 *     Another number: the same, and only the bytes i of which it has bit i have undefined bits.
 *
 *     BUSY: the runtime is at work.
 *
 * Generated code may write the plane: UNDEFINED together with fill words, DEFINED, and fewer
 * bytes, if that makes no number with another meaning.
 *
 * Bits are those of a value in little endian, 1 if undefined. An origin says where undefined bits
 * come from (whence.abi.undefined), 0: unknown. There are these functions only while a rule has the
 * point WH_POINT_USE; before its rules are registered the plane is not there. All follow the C
 * calling convention.
 */
#ifndef WHENCE_VALUES_H
#define WHENCE_VALUES_H

#include <stdint.h>
#include "whence_abi.h"

struct whence_bits {
    uint64_t bits, origin; /* of the first undefined byte */
};

/* The undefined bits of 1 to 8 bytes. */
struct whence_bits __whence_value_load(uint64_t address, uint64_t size);

/* Whether one of some bytes has an undefined bit. */
uint64_t __whence_value_any(uint64_t address, uint64_t size);

/* The same, of the bytes i from an address on for which bit i of a number is set. */
uint64_t __whence_value_any_of(uint64_t address, uint64_t bytes);

/* Whether a function can leave for the twin of this cell, which is fetched if it is missing. */
uint64_t __whence_value_later(struct whence_cell *cell);

/* Called at the begin of an image with the tables of its cells, and before it goes. */
void __whence_later(struct whence_later *const *begin, struct whence_later *const *end);
void __whence_later_end(struct whence_later *const *begin);

/* Called after such bytes were stored that are all defined. */
void __whence_value_clear(uint64_t address, uint64_t bytes);

/* Called after a store of 1 to 8 bytes: which bits of the value were undefined, perhaps none. With
 * no bits, `origin` may be that of the variable's other bytes, or 0: it serves where the store
 * overwrote the origin in a fill word. */
void __whence_value_store(uint64_t address, uint64_t size, uint64_t bits, uint64_t origin);

/* Bytes are defined: called before or after they are written. */
void __whence_value_define(uint64_t address, uint64_t size);

/* Bytes are undefined: fills them, too. */
void __whence_value_undefine(uint64_t address, uint64_t size, uint64_t origin);

/* Called before bytes are copied; the ranges may overlap. */
void __whence_value_copy(uint64_t to, uint64_t from, uint64_t size);

/* A step depends on a value: an event at the point WH_POINT_USE, if it has undefined bits. The
 * event's value, other, root and width are value, bits, origin and kind (WH_USE_*). */
void __whence_use(uint64_t value, uint64_t bits, uint64_t origin, uint64_t kind);

/* Whether a library function looks at an optional argument: which one (whence.abi.optional), and
 * the argument that decides. */
uint64_t __whence_value_wanted(uint64_t which, uint64_t decider);

/* Undefined bits that a call passes: generated code writes it. Pairs of bits and origin, and
 * addresses of what is copied. Generated code reads `filled`. */
struct whence_values {
    struct whence_passed passed;
    uint64_t arguments[2 * WHENCE_MOST_ARGUMENTS];
    uint64_t results[2 * WHENCE_MOST_RESULTS];
    struct whence_in_memory memory;
    uint64_t sources[WHENCE_MOST_SOURCES];
    uint64_t variable[2 * WHENCE_MOST_VARIABLE];
    struct whence_filled filled;
};
extern __thread struct whence_values __whence_values;

/* Called where control arrives after frames were left without their ends (longjmp, exceptions):
 * marks that they had in memory mean nothing any more. */
void __whence_value_landed(void);

/* Variable arguments of a function. In its frame: */
struct whence_variadic {
    struct whence_kept kept;
    uint64_t pairs[2 * WHENCE_MOST_VARIABLE];
};
/* Called at its begin: keeps what is passed to `function`, and takes it from the thread. */
void __whence_value_keep(struct whence_variadic *variable, uint64_t function);
/* Called after va_start has filled `list`. */
void __whence_value_started(struct whence_variadic *variable, uint64_t list);
/* Called at its end: the memory of the arguments is used for others next. */
void __whence_value_ended(const struct whence_variadic *variable);
/* A variable argument by value: what is undefined of the `size` bytes at `from` goes into the
 * pairs that are passed, from number `at` on. */
void __whence_value_pass(uint64_t from, uint64_t size, uint64_t at);

#endif
