/* Rules that are there without generated detectors. */
#ifndef WHENCE_PRELOAD_RULES_H
#define WHENCE_PRELOAD_RULES_H

#include "../include/whence/rules.h"

extern const struct whence_rule_set preload_rules;

#endif
