/* The command line of a compiler driver, as far as the native command understands it. */
#ifndef WHENCE_LAUNCHER_CC_LINE_H
#define WHENCE_LAUNCHER_CC_LINE_H

#include "facts.h"

enum line_kind {
    LINE_PYTHON, /* something unusual */
    LINE_CLANG,  /* clang does all of it: nothing carries IR */
    LINE_OBJECT, /* one source to an object */
};

struct line {
    const char *source, *language; /* of the only input */
    const char *output;            /* the object */
    const char *level;             /* of optimisation, as a module names it */
    struct words flags;            /* the user's options that shape the IR */
};

enum line_kind line_read(struct line *line, const struct plan *plan, char **words);

#endif
