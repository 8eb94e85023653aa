/* The native compilation of a source and, beside it, its compilation to IR. */
#ifndef WHENCE_LAUNCHER_CC_COMPILE_H
#define WHENCE_LAUNCHER_CC_COMPILE_H

#include "line.h"

struct compilation {
    int status;    /* of the native one, as waitpid gives it */
    int ir_status; /* of the other, once the native one succeeded, or of a probe; else -1 */
    int bitcode;   /* what that wrote: a file in memory */
    int errors;    /* likewise, its messages */
};

/* Whether a source is one by which a configure script asks what the compiler takes. */
int is_probe(const char *source);
/* Whether the front end rejected it for what some standard or an older compiler lets pass. */
int is_stricter(const struct compilation *made);

/* The words of the front end and after them those of a command line; NULL at the end. */
struct words clang_command(const struct plan *plan, char **words);

/* Runs both until they end, requests to end passed on to the native one, whose words are `command`.
 * 0 if they could not be started: then nothing was done. */
int compile(struct compilation *made, const struct plan *plan, const struct line *line,
            char **command);

/* A file in memory with the module, its coroutines split into plain functions; `bitcode` itself if
 * that fails. */
int without_coroutines(const struct plan *plan, int bitcode);

#endif
