/* The events of objects: of a function that rules name, the last call or return for each
 * combination of some of its words (struct whence_history). They are of all threads. */
#ifndef WHENCE_RT_HISTORIES_H
#define WHENCE_RT_HISTORIES_H

#include <stdint.h>
#include "../include/whence/rules.h"
#include "../stacks/unwind.h"

/* Adds an event of a watched function, whose frame this is, to the histories that keep it. */
void histories_add(uint64_t function, uint64_t returns, const struct whence_past *event,
                   const struct frame *frame);

/* Around fork. */
void histories_lock(void);
void histories_unlock(void);

#endif
