/* The rules that whence ships, whose detectors are generated when this library is built
 * (whence.instrument.shipped). Those of a launcher take precedence. */
#ifndef WHENCE_PORT_RULES_H
#define WHENCE_PORT_RULES_H

#include "../../include/whence/rules.h"

extern const struct whence_rule_set whence_rule_set __attribute__((visibility("hidden")));

#endif
