/* Buffers in several parts. */
#ifndef WHENCE_INTERCEPT_SCATTER_H
#define WHENCE_INTERCEPT_SCATTER_H

#include "bounce.h"

#include <sys/uio.h>

/* Parts that a function fills one after another. Where one of them is not accessible as a whole,
 * stand-ins take their places. */
struct scatter {
    const struct iovec *parts; /* what the function shall fill */
    struct bounce *bounces;    /* one for each part; NULL: the parts are the program's own */
    size_t count;
};

struct scatter scatter_begin(struct site site, const struct iovec *parts, size_t count);
/* Whether the parts and their table are accessible. */
int scatter_is_clean(const struct iovec *parts, size_t count);
/* The function has stored `stored` bytes. */
void scatter_end(struct site site, struct scatter *scatter, size_t stored);

/* Checks parts that are read. */
void check_gathered(struct site site, const struct iovec *parts, size_t count);

#endif
