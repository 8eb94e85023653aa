/* What the path decides about expressions, and what it is asked: records of the trace. `pc`: where,
 * a return address. */
#ifndef WHENCE_SYMBOLIC_DECISIONS_H
#define WHENCE_SYMBOLIC_DECISIONS_H

#include <stdint.h>
#include "expressions.h"
#include "../include/whence/rules.h"

/* Control goes the way of `taken`. */
void decision_branch(uint32_t condition, int taken, uint64_t pc);
/* The same at the end of a block. line: the byte of its last line (covered.h), 0 if it has none. */
void decision_branch_of(uint32_t condition, int taken, uint64_t line, uint64_t pc);
/* `cases`: their number, then for each its value and its way, from 1 on. */
void decision_switch(uint32_t scrutinee, uint64_t value, const uint64_t *cases, uint64_t line,
                     uint64_t pc);
/* The expression has its value from here on. */
void decision_bind(uint32_t expression, unsigned reason, uint64_t pc);
/* The condition means an error of this kind (WH_CHECKED_*). */
void decision_check(uint32_t condition, unsigned kind, uint64_t pc);
/* A step of a point (WH_POINT_*) that rules see where the condition is true, and the expressions of
 * its first slots, 0 for one that is not known. */
void decision_step(uint32_t condition, unsigned point, const uint32_t *slots, uint64_t pc);
/* What the program wants assumed; the path ends if it does not hold. */
void decision_assume(uint32_t condition, int holds, uint64_t pc);
/* What the program would like of the test of this path. */
void decision_prefer(uint32_t condition);
/* An access through a symbolic address (WH_TRACED_*), and the object in which it lies, of which
 * some parts have just been said (parts.h). */
void decision_access(uint32_t address, uint64_t at, uint64_t size, unsigned how,
                     struct whence_bounds object, unsigned parts, uint64_t pc);

#endif
