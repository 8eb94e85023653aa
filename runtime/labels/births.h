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

#endif
