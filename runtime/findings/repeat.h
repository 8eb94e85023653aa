/* A program that goes on after a finding about an access makes the access, and may be
 * trapped by it. That is no second bug. */
#ifndef WHENCE_FINDINGS_REPEAT_H
#define WHENCE_FINDINGS_REPEAT_H

#include <stdint.h>

struct context;

/* A finding is made with that stack, and the program goes on. */
void repeat_note(const struct context *context, const uint64_t *pcs, unsigned count);
/* Whether the trap with that stack comes from the access that was reported last. */
int repeat_is(const struct context *context, const uint64_t *pcs, unsigned count);
/* Whether the library function whose wrapper has this frame was reported to get a length beyond
 * all memory. */
int repeat_has_length(const void *frame);

#endif
