/* signal.h, math.h, stdlib.h: values that the C library itself stores. */
#include <stdarg.h>
#include "check.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

/* ---- sets of signals ---- */

#define ON_SET(name)                                                                               \
    WRAP(int, name, (sigset_t * set)) {                                                            \
        WRITE(set, SET_SIZE);                                                                      \
        return name(set);                                                                          \
    }

#define IN_SET(name)                                                                               \
    WRAP(int, name, (sigset_t * set, int signal)) {                                                \
        WRITE(set, SET_SIZE);                                                                      \
        return name(set, signal);                                                                  \
    }

ON_SET(sigemptyset)
ON_SET(sigfillset)
IN_SET(sigaddset)
IN_SET(sigdelset)

WRAP(int, sigismember, (const sigset_t *set, int signal)) {
    READ(set, SET_SIZE);
    return sigismember(set, signal);
}

WRAP(int, sigaction, (int signal, const struct sigaction *action, struct sigaction *old)) {
    READ_IF(action, sizeof *action);
    WRITE_IF(old, sizeof *old);
    return sigaction(signal, action, old);
}

/* ---- parts of numbers ---- */

#define PARTS(name, type, part_type)                                                               \
    WRAP(type, name, (type value, part_type * part)) {                                             \
        WRITE(part, sizeof *part);                                                                 \
        return name(value, part);                                                                  \
    }

PARTS(frexp, double, int)
PARTS(frexpf, float, int)
PARTS(frexpl, long double, int)
PARTS(modf, double, double)
PARTS(modff, float, float)
PARTS(modfl, long double, long double)

/* ---- others ---- */

WRAP(int, getloadavg, (double *to, int count)) {
    int stored = NEXT(getloadavg)(to, count);
    if (stored > 0) WRITE(to, bytes_of((size_t)stored, sizeof *to));
    return stored;
}

void arc4random_buf(void *, size_t) __attribute__((weak));
WRAP(void, arc4random_buf, (void *to, size_t size)) {
    WRITE(to, size);
    arc4random_buf(to, size);
}
