/* Expressions of what no single operator computes (WH_DERIVED_*). */
#ifndef WHENCE_SYMBOLIC_DERIVED_H
#define WHENCE_SYMBOLIC_DERIVED_H

#include <stdint.h>

/* Of operands of a width; those with one operand do not look at b. 0 if there is no room. */
uint32_t derived_make(unsigned what, unsigned width, uint32_t a, uint32_t b);

#endif
