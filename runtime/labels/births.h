/* Where bytes get labels, and which of them functions of the C library pass on. */
#ifndef WHENCE_LABELS_BIRTHS_H
#define WHENCE_LABELS_BIRTHS_H

#include "../events/events.h"
#include "../include/whence/rules.h"

extern const struct observer labels_observer;

/* The rules that are on name labels: what is said of these in the set. */
void labels_begin(const struct whence_rule_set *set);

/* The bit of a label; 0 if no rule that is on names one of its domain. */
uint8_t labels_named(const char *name);

/* The program says by one of the interfaces for undefined values that bytes are undefined, or are
 * not: whether that is about labels instead. */
int labels_marked(const char *function, const struct frame *frame, uintptr_t at, uint64_t size);
int labels_unmarked(const char *function, uintptr_t at, uint64_t size);

#endif
