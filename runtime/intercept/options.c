/* getopt.h, argp.h: options of the command line. */
#include <stdarg.h>
#include "check.h"

#include <argp.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* The next argument that is a long option, NULL: none. Others may come before it, unless the
 * program asked for the first to be the end. */
static const char *next_long(int count, char *const *arguments, const char *letters) {
    int in_order = *letters == '+' || *letters == '-' || getenv("POSIXLY_CORRECT");
    for (int i = optind > 0 ? optind : 1; i < count && arguments[i]; i++) {
        const char *argument = arguments[i];
        if (argument[0] == '-' && argument[1])
            return argument[1] == '-' && argument[2] ? argument + 2 : NULL;
        if (in_order) return NULL;
    }
    return NULL;
}

/* The function goes through the table up to the option of just this name, or to the end. */
static void check_options(struct site site, const char *wanted, const struct option *options) {
    size_t length = strcspn(wanted, "=");
    for (size_t i = 0;; i++) {
        check_range(site, &options[i], sizeof *options, 0, options);
        check_used(site, &options[i].name, sizeof options[i].name);
        const char *name = options[i].name;
        if (!name) return;
        check_used_until(site, name, 0, NO_LIMIT);
        if (!strncmp(name, wanted, length) && !name[length]) return;
    }
}

#define LONG_OPTIONS(own)                                                                          \
    WRAP(int, own,                                                                                 \
         (int count, char *const *arguments, const char *letters, const struct option *options,    \
          int *index)) {                                                                           \
        USE_STRING(letters);                                                                       \
        const char *wanted = options ? next_long(count, arguments, letters) : NULL;                \
        if (wanted) check_options(SITE, wanted, options);                                          \
        int result = own(count, arguments, letters, options, index);                               \
        if (wanted && result != '?' && result != ':') WROTE_IF(index, sizeof *index);              \
        return result;                                                                             \
    }

LONG_OPTIONS(getopt_long)
LONG_OPTIONS(getopt_long_only)

WRAP(int, getopt, (int count, char *const arguments[], const char *letters)) {
    USE_STRING(letters);
    return getopt(count, arguments, letters);
}

/* The parser's own functions belong to the program, and are checked there. */
WRAP(error_t, argp_parse,
     (const struct argp *parser, int count, char **arguments, unsigned flags, int *index,
      void *input)) {
    READ_IF(parser, sizeof *parser);
    READ(arguments, bytes_of((size_t)(count < 0 ? 0 : count), sizeof *arguments));
    error_t result = argp_parse(parser, count, arguments, flags, index, input);
    if (result == 0) WROTE_IF(index, sizeof *index);
    return result;
}
