/* What library functions write to the program's memory.
 *
 * A wrapper announces the bytes before its function writes them, or says afterwards which it has
 * written. Of what is announced, the bytes are kept as they are before the call and compared
 * behind it: those that have changed are the function's, so a call that fails leaves chains as
 * they were. Each thread keeps the announcements of its calls on a stack, since signal handlers
 * and functions that a library function calls make calls of their own.
 */
#ifndef WHENCE_ORIGINS_WRITTEN_H
#define WHENCE_ORIGINS_WRITTEN_H

#include "nodes.h"

/* Whether checked code is in a call that may write memory. */
static inline int written_is_asked(void) { return ORIGINS_ON && __whence_origins.passed.writing; }

/* The site of the call that may write memory and that checked code is in, if it is of this
 * function; NULL: there is none. */
struct whence_origin_site *written_call(const char *function);

/* The function, whose wrapper has this frame, is about to write bytes, which can be read. Nothing
 * is kept if checked code is not in a call of it. */
void written_soon(const char *function, const void *frame, uintptr_t to, uint64_t size);

/* The function has written bytes. */
void written_already(const char *function, uintptr_t to, uint64_t size);

#endif
