/* Stops the other threads and finds the memory that they use.
 *
 * Where the system lets us, a helper process that shares our memory stops them
 * as a debugger does: no thread notices, whatever signals it blocks or waits
 * for. Else (under a debugger, without the right to trace) each gets a signal
 * whose handler waits, with the registers on the thread's stack.
 */
#ifndef WHENCE_LEAK_STOP_H
#define WHENCE_LEAK_STOP_H

#include <stddef.h>
#include <stdint.h>
#include "../os/trace.h"
#include "../process/thread.h"

struct parked {
    uint32_t tid;
    uint32_t stands; /* set last */
    int signal;      /* to be handed back */
    uintptr_t sp;    /* everything it uses on its stack lies at and above */
    uint64_t pc;
    const struct thread *thread;   /* what the runtime keeps for it; NULL if not known */
    struct os_registers registers; /* zero where they are on the stack */
};

struct parking {
    struct parked *threads;
    size_t count;
    size_t missing; /* threads that did not stop in time */
    long helper;    /* 0: by signals */
};

/* Stops all threads but the calling one. */
void parking_begin(struct parking *parking);
/* Lets them go. */
void parking_end(struct parking *parking);

#endif
