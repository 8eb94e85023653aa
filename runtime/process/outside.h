/* Answers from outside, such as the time: a first run keeps them, and a second one gets them again
 * (whence.abi.outside). Only the first process of a run has part in it, not its children. */
#ifndef WHENCE_PROCESS_OUTSIDE_H
#define WHENCE_PROCESS_OUTSIDE_H

#include <stddef.h>
#include <stdint.h>
#include "../os/mem.h"
#include "../port/port.h"
#include "whence_abi.h"

/* WH_OUTSIDE_NONE, _KEEP or _REPEAT. */
extern int outside_mode;
#define OUTSIDE_KEPT WH_UNLIKELY(outside_mode == WH_OUTSIDE_KEEP)
#define OUTSIDE_REPEATED WH_UNLIKELY(outside_mode == WH_OUTSIDE_REPEAT)

/* Begins, if the options say so. The record is open. */
void outside_begin(void);

/* A child of fork has no part in it. */
void outside_forked(void);

/* The answer of this kind that the thread got the first time: at most `size` bytes at `to`, and the
 * result. 0 if there is none: then, and if the thread asked for another kind, it gets no more
 * answers again. */
int outside_again(unsigned kind, void *to, size_t size, int64_t *result);

/* Keeps an answer. */
void outside_keep(unsigned kind, const void *from, size_t size, int64_t result);

/* The number that this process had the first time; its own, if that is not repeated. */
uint32_t outside_process(void);

#endif
