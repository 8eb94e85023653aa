/* The rules that whence ships. Their detectors are generated when this library is built
 * (whence.instrument.pipeline.shipped). A rule set from the launcher takes precedence. */
#ifndef WHENCE_PORT_RULES_H
#define WHENCE_PORT_RULES_H

#include "../../include/whence/rules.h"

extern const struct whence_rule_set whence_rule_set __attribute__((visibility("hidden")));

#endif
