/* The command line of a compiler driver, as far as the native command understands it. */
#ifndef WHENCE_LAUNCHER_CC_LINE_H
#define WHENCE_LAUNCHER_CC_LINE_H

#include "facts.h"

enum line_kind {
    LINE_PYTHON, /* something unusual */
    LINE_CLANG,  /* clang does all of it: nothing carries IR */
    LINE_OBJECT, /* one source to an object */
    LINE_LINK,   /* one source to a program or a shared library */
};

struct line {
    const char *source, *language; /* of the only input */
    const char *output;            /* the path of what is made */
    const char *level;             /* of optimisation, as a module names it */
    struct words flags;            /* the user's options that shape the IR */
    struct words unlinked; /* the command line without options of links; empty if it links */
    struct words parts;    /* libraries, folders for them as -LFOLDER, options of the link,
                              and `source`, in order */
};

enum line_kind line_read(struct line *line, const struct plan *plan, char **words);

/* A path below the folder, as it is if it is absolute; NULL if memory runs out. */
char *line_path(const char *path, const char *folder);
/* The same without empty components, "." and "..". */
char *line_simple_path(const char *path, const char *folder);

#endif
