/* A program that goes on after a finding about an access makes the access, and may be
 * trapped by it. That is no second bug. */
#ifndef WHENCE_RT_REPEAT_H
#define WHENCE_RT_REPEAT_H

#include <stdint.h>

/* What a thread was told last of an access. */
struct told {
    uint64_t point;      /* WH_POINT_*, 0: nothing */
    uintptr_t low, high; /* the bytes it was about */
    uintptr_t frame;     /* where the check stood on the stack */
    uint64_t pc, outer;  /* the program's innermost place, and the hash of those around it */
    int by_library;
};

struct context;

/* A finding is made with that stack, and the program goes on. */
void repeat_note(const struct context *context, const uint64_t *pcs, unsigned count);
/* Whether the trap with that stack comes from the access that was told last. */
int repeat_is(const struct context *context, const uint64_t *pcs, unsigned count);
/* Whether the library function whose wrapper has this frame was told to get a length beyond
 * all memory. */
int repeat_has_length(const void *frame);

#endif
