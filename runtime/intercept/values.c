/* signal.h, math.h, stdlib.h: values that the C library itself stores. */
#include <stdarg.h>
#include "check.h"
#include "../process/confine.h"

#include <dlfcn.h>
#include <math.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

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
    if (action) {
        check_used(SITE, &action->sa_handler, sizeof action->sa_handler);
        check_used(SITE, &action->sa_mask, SET_SIZE);
        check_used(SITE, &action->sa_flags, sizeof action->sa_flags);
    }
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

/* ---- states of random numbers ---- */

/* What a function with a state of its own adds to it; the state is read before. */
#define DRAWS(name, state_type, result_type)                                                       \
    WRAP(int, name, (state_type * state, result_type * result)) {                                  \
        WRITE(state, sizeof *state);                                                               \
        WRITE(result, sizeof *result);                                                             \
        return name(state, result);                                                                \
    }

/* The same with a number of the caller's, which it replaces. */
#define DRAWS_AFTER(name, result_type)                                                             \
    WRAP(int, name, (unsigned short last[3], struct drand48_data *state, result_type *result)) {   \
        WRITE(last, NUMBER_SIZE);                                                                  \
        check_used(SITE, last, NUMBER_SIZE);                                                       \
        WRITE(state, sizeof *state);                                                               \
        WRITE(result, sizeof *result);                                                             \
        return name(last, state, result);                                                          \
    }

#define FOLLOWS(type, name)                                                                        \
    WRAP(type, name, (unsigned short last[3])) {                                                   \
        WRITE(last, NUMBER_SIZE);                                                                  \
        check_used(SITE, last, NUMBER_SIZE);                                                       \
        return name(last);                                                                         \
    }

#define NUMBER_SIZE (3 * sizeof(unsigned short))
#define SEVEN_SIZE (7 * sizeof(unsigned short))

DRAWS(drand48_r, struct drand48_data, double)
DRAWS(lrand48_r, struct drand48_data, long)
DRAWS(mrand48_r, struct drand48_data, long)
DRAWS(random_r, struct random_data, int32_t)
DRAWS_AFTER(erand48_r, double)
DRAWS_AFTER(nrand48_r, long)
DRAWS_AFTER(jrand48_r, long)
FOLLOWS(double, erand48)
FOLLOWS(long, nrand48)
FOLLOWS(long, jrand48)

WRAP(int, srand48_r, (long seed, struct drand48_data *state)) {
    WRITE(state, sizeof *state);
    return srand48_r(seed, state);
}

WRAP(int, seed48_r, (unsigned short seed[3], struct drand48_data *state)) {
    USE(seed, NUMBER_SIZE);
    WRITE(state, sizeof *state);
    return seed48_r(seed, state);
}

WRAP(unsigned short *, seed48, (unsigned short seed[3])) {
    USE(seed, NUMBER_SIZE);
    return seed48(seed);
}

WRAP(int, lcong48_r, (unsigned short parameters[7], struct drand48_data *state)) {
    USE(parameters, SEVEN_SIZE);
    WRITE(state, sizeof *state);
    return lcong48_r(parameters, state);
}

WRAP(void, lcong48, (unsigned short parameters[7])) {
    USE(parameters, SEVEN_SIZE);
    lcong48(parameters);
}

WRAP(int, srandom_r, (unsigned seed, struct random_data *state)) {
    WRITE(state, sizeof *state);
    return srandom_r(seed, state);
}

/* How much of such memory the generator takes. */
static size_t generator_size(size_t size) {
    for (size_t most = 256; most >= 32; most /= 2)
        if (size >= most) return most;
    return size >= 8 ? 8 : 0;
}

WRAP(int, initstate_r, (unsigned seed, char *memory, size_t size, struct random_data *state)) {
    WRITE(memory, generator_size(size));
    WRITE(state, sizeof *state);
    return initstate_r(seed, memory, size, state);
}

WRAP(char *, initstate, (unsigned seed, char *memory, size_t size)) {
    WRITE(memory, generator_size(size));
    return initstate(seed, memory, size);
}

WRAP(int, setstate_r, (char *memory, struct random_data *state)) {
    READ(memory, sizeof(int32_t));
    WRITE(state, sizeof *state);
    return setstate_r(memory, state);
}

WRAP(char *, setstate, (char *memory)) {
    READ(memory, sizeof(int32_t));
    return setstate(memory);
}

/* ---- others ---- */

WRAP(void, psignal, (int signal, const char *text)) {
    USE_STRING_IF(text);
    psignal(signal, text);
}

WRAP(void, psiginfo, (const siginfo_t *info, const char *text)) {
    READ(info, sizeof *info);
    USE_STRING_IF(text);
    psiginfo(info, text);
}

WRAP(int, dladdr, (const void *address, Dl_info *info)) {
    WRITE(info, sizeof *info);
    return dladdr(address, info);
}

#define NAME_MOST 16 /* of a thread, with its end */

/* The argument is passed on as it comes, also where there is none. */
WRAP(int, prctl, (int option, ...)) {
    va_list arguments;
    va_start(arguments, option);
    void *first = va_arg(arguments, void *), *second = va_arg(arguments, void *);
    void *third = va_arg(arguments, void *), *fourth = va_arg(arguments, void *);
    va_end(arguments);
    if (option == PR_SET_NAME) USE_STRING_N(first, NAME_MOST - 1);
    if (option == PR_GET_NAME) WRITE(first, NAME_MOST);
    if (option == PR_GET_PDEATHSIG || option == PR_GET_CHILD_SUBREAPER) WRITE(first, sizeof(int));
    if (option == PR_SET_SECCOMP) port_before_leaving();
    struct confinement made = confine_begin(SYS_prctl, (long[]){option, (long)first, (long)second});
    int result = prctl(option, first, second, third, fourth);
    confine_end(&made, result);
    return result;
}

#define OF_TWO_SETS(name)                                                                          \
    WRAP(int, name, (sigset_t * to, const sigset_t *a, const sigset_t *b)) {                       \
        READ(a, SET_SIZE);                                                                         \
        READ(b, SET_SIZE);                                                                         \
        WRITE(to, SET_SIZE);                                                                       \
        return name(to, a, b);                                                                     \
    }

OF_TWO_SETS(sigandset)
OF_TWO_SETS(sigorset)

WRAP(int, sigisemptyset, (const sigset_t *set)) {
    USE(set, SET_SIZE);
    return sigisemptyset(set);
}

WRAP(int, getloadavg, (double *to, int count)) {
    int stored = NEXT(getloadavg)(to, count);
    if (stored > 0) WROTE(to, bytes_of((size_t)stored, sizeof *to));
    return stored;
}

void arc4random_buf(void *, size_t) __attribute__((weak));
WRAP(void, arc4random_buf, (void *to, size_t size)) {
    WRITE(to, size);
    arc4random_buf(to, size);
}

/* A terminal's two ends, and the name of the second. */
WRAP(int, openpty,
     (int *master, int *slave, char *name, const struct termios *settings,
      const struct winsize *size)) {
    WRITE(master, sizeof *master);
    WRITE(slave, sizeof *slave);
    READ_IF(settings, sizeof *settings);
    READ_IF(size, sizeof *size);
    int result = openpty(master, slave, name, settings, size);
    if (result == 0 && name) WROTE(name, strlen(name) + 1);
    return ends_opened(SITE, result, (int[2]){*master, *slave});
}

WRAP(pid_t, forkpty,
     (int *master, char *name, const struct termios *settings, const struct winsize *size)) {
    WRITE(master, sizeof *master);
    READ_IF(settings, sizeof *settings);
    READ_IF(size, sizeof *size);
    pid_t child = forkpty(master, name, settings, size);
    if (child > 0 && name) WROTE(name, strlen(name) + 1);
    if (child > 0) OPENED(*master);
    return child;
}
