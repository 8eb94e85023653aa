/* Functions of the C library whose names are the runtime's, and what they return. They are looked
 * up before any other code runs: later, the loader's lock may belong to a thread that waits for
 * this one, as where a library's constructor joins a thread. */
#ifndef WHENCE_INTERCEPT_REAL_H
#define WHENCE_INTERCEPT_REAL_H

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include "../os/mem.h"

struct real_function {
    const char *name, *version; /* version: NULL for the usual one */
    void *found;
};

static inline void *real_find(struct real_function *at) {
    if (WH_UNLIKELY(!at->found))
        at->found =
            at->version ? dlvsym(RTLD_NEXT, at->name, at->version) : dlsym(RTLD_NEXT, at->name);
    return at->found;
}

#define REAL_OF(function, version)                                                                 \
    ({                                                                                             \
        static struct real_function real_##function = {#function, version, NULL};                  \
        static struct real_function *const listed __attribute__((section("whence_real"), used)) =  \
            &real_##function;                                                                      \
        (__typeof__(&function))(uintptr_t)real_find(&real_##function);                             \
    })
#define REAL(function) REAL_OF(function, NULL)

/* A result with its error, in one number. */
static inline int64_t with_error(int64_t result) { return result < 0 ? -(int64_t)errno : result; }

static inline int64_t without_error(int64_t kept) {
    if (kept >= 0) return kept;
    errno = (int)-kept;
    return -1;
}

#endif
