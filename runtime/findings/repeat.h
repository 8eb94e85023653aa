/* A program that continues after a finding makes the reported access, which may then trap. The trap
 * is the same bug and must not become a second finding. */
#ifndef WHENCE_FINDINGS_REPEAT_H
#define WHENCE_FINDINGS_REPEAT_H

#include <stdint.h>

struct context;

/* Stores the access of a finding with this stack, after which the program continues. */
void repeat_note(const struct context *context, const uint64_t *pcs, unsigned count);
/* Whether a trap with this stack comes from the access that was reported last. */
int repeat_is(const struct context *context, const uint64_t *pcs, unsigned count);
/* Whether the last finding reports that the library function whose wrapper has this frame gets a
 * length beyond all memory. */
int repeat_has_length(const void *frame);

#endif
