/* Options from the environment; the table is whence.abi.options. */
#ifndef WHENCE_SETTINGS_OPTIONS_H
#define WHENCE_SETTINGS_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include "../os/text.h"
#include "whence_abi.h"

struct options {
#define X(name, default, low, high) uint64_t name;
    WH_OPTIONS(X)
#undef X
};

extern struct options options;

/* A value of options.leaks: the rules at the end of main are not evaluated, blocks are counted. */
#define LEAKS_COUNTED 2u
/* A value of options.caged: standard input must not be read, either. */
#define CAGED_INPUT 2u

/* Reads `name=value:name=value` over the defaults. 0 on a mistake: then
 * *error describes it in one sentence, and `into` is incomplete. */
int options_parse(const char *text, size_t length, struct options *into, struct text *error);

/* Reads WH_OPTIONS_VARIABLE of an environment (as in /proc/self/environ) into `options`. 0 on a
 * mistake, which *error describes. */
int options_read(const char *environment, size_t size, struct text *error);

/* Finds NAME=value in a block of zero-terminated strings, as in
 * /proc/self/environ; NULL if it is not there. */
const char *options_variable(const char *block, size_t size, const char *name, size_t *length);

#endif
