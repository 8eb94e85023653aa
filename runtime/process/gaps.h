/* Gaps: memory of the stack that functions leave unused above their variables whose address may
 * outlive the call.
 *
 * On the stack the next function takes the memory of a variable, and a pointer that outlived it
 * leads to what that one has there. So such variables lie a few KiB below the rest of their frame,
 * each time elsewhere: functions that are called later do not reach so far, and find the memory
 * below their stack pointer, closed. If they have a gap of their own, it lies there: nothing uses
 * it. All of this is part of the stack in its usual order, so code that searches stacks for
 * pointers, copies or switches them finds them as they would be with larger variables.
 *
 * A thread's gaps take 60 KiB at most, at stacks that are large, and none near the end of those.
 * Functions on stacks that the program made have none.
 */
#ifndef WHENCE_PROCESS_GAPS_H
#define WHENCE_PROCESS_GAPS_H

#include <stdint.h>
#include "../events/events.h"

struct whence_gap;

/* Threads that begin make gaps. */
extern const struct observer gaps_observer;

/* The calling thread, whose stack has so many bytes, makes gaps. */
void gaps_begin(uint64_t stack);

/* The calling thread's gap around the address; NULL if there is none. Its function may have been
 * left by longjmp or an exception. */
const struct whence_gap *gaps_around(uintptr_t address);

#endif
