/* What a printf has written to memory, for the chains of its bytes: texts are copies, numbers are
 * computed from arguments. */
#ifndef WHENCE_INTERCEPT_PRINTED_H
#define WHENCE_INTERCEPT_PRINTED_H

#include <stdarg.h>
#include <stddef.h>
#include "check.h"
#include "../origins/listed.h"

/* In place of the number of a wrapper's first variable argument: the list is the program's. */
#define GIVEN_LIST 0u

/* A text of `length` bytes was formatted, of which at most `size`, with a final 0, are at `to`. The
 * list is as it was before the call; of a wrapper's own, `first` is the number of its first one. */
void printed(struct site site, const char *to, size_t size, int length, const char *format,
             unsigned first, va_list arguments);
#define PRINTED_INTO(to, size, length, first, arguments)                                           \
    (WH_UNLIKELY(written_is_asked()) || IS_HEARD(copied)                                           \
         ? printed(SITE, (to), (size), (length), format, (first), (arguments))                     \
         : (void)0)

#endif
