/* Checks of the ranges that library functions access, and stand-ins for buffers that they fill. */
#ifndef WHENCE_INTERCEPT_BOUNCE_H
#define WHENCE_INTERCEPT_BOUNCE_H

#include "../rt/races.h"
#include "../rt/access.h"
#include "../definedness/ranges.h"

#include <sys/types.h>

/* The function that makes the access, and where the program called it. */
struct site {
    const char *function;
    const struct frame *frame;
};

/* Whether an access there can be wrong at all. */
static inline int is_judged(const void *pointer) {
    return PORT_PLANES || blocks_govern((uintptr_t)pointer);
}

/* Checks that all bytes are addressable; `root` is the pointer it is judged by. */
void check_range(struct site site, const void *pointer, size_t size, int write, const void *root);
/* The same of an object that threads may have accessed by such functions at once. */
void check_shared(struct site site, const void *object, size_t size);
/* The thread has waited for what others may have written to a descriptor. */
static inline void tell_arrived(void) {
    if (PORT_PLANES && RACES_ON) races_arrived();
}
/* Threads may have accessed the bytes that the function accesses. */
static inline void tell_races(struct site site, const void *pointer, size_t size, int write) {
    if (PORT_PLANES && RACES_ON)
        races_range((uintptr_t)pointer, size, write, site.function, site.frame);
}

/* ---- functions that fill a buffer they may not need in full ---- */

/* A stand-in for a buffer that is not accessible as a whole: the function
 * fills the stand-in, then exactly what it stored is checked and copied. */
struct bounce {
    void *buffer; /* where the function shall write */
    void *target;
    size_t size; /* of the target */
    size_t room; /* bytes that are checked when the function has returned; 0: none */
};

struct bounce bounce_begin(struct site site, void *target, size_t size);
/* The same for a call that is refused where nothing is mapped: only blocks have stand-ins.
 * Elsewhere what was stored is checked afterwards. */
struct bounce bounce_block(struct site site, void *target, size_t size);
/* Copies what can be read of the target, for a function that reads the buffer first. */
void bounce_fill(struct bounce *bounce);
/* `count` bytes were written, or as many as there was room for; the checks are made for `site`. */
void bounce_end(struct site site, struct bounce *bounce, size_t count);

/* The bytes that a call like read has stored, by its result. */
static inline size_t arrived(ssize_t result) { return result > 0 ? (size_t)result : 0; }

#endif
