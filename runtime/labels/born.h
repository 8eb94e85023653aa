/* Where labels were born: a number for each stack, which goes along with the labels of bytes. */
#ifndef WHENCE_LABELS_BORN_H
#define WHENCE_LABELS_BORN_H

#include <stdint.h>
#include "../stacks/unwind.h"

/* The number of the stack at which bytes get labels now; 0 if there is no more room. */
uint16_t birth_here(const struct frame *frame);

/* This thread has loaded a byte with these labels. */
void birth_seen(uint8_t labels, uint16_t birth);
/* Of the last byte with one of these labels that it has loaded. */
uint16_t birth_last(uint8_t labels);

/* The stack of a birth in the depot, 0 if it is not known. */
uint32_t birth_stack(uint16_t birth);

/* What evaluators asked of labels since the last call of `birth_forget`, and found: the stack, or
 * 0.
 */
void birth_forget(void);
void birth_asked(uint8_t labels);
uint32_t birth_answered(void);

#endif
