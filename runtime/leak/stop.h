/* Stops the other threads and finds the memory that they use.
 *
 * Where the system permits it, a helper process that shares this memory stops them as a debugger
 * does; threads do not notice that, whatever signals they block or wait for. Otherwise (under a
 * debugger, or without the right to trace) each thread gets a signal whose handler waits; its
 * registers are then on its stack.
 */
#ifndef WHENCE_LEAK_STOP_H
#define WHENCE_LEAK_STOP_H

#include <stddef.h>
#include <stdint.h>
#include "../os/trace.h"
#include "../process/thread.h"

struct parked {
    uint32_t tid;
    uint32_t stands; /* it has stopped, and the other fields are set */
    int signal;      /* that the helper intercepted, to be delivered later */
    uintptr_t sp;    /* the lowest address that it uses on its stack */
    uint64_t pc;
    const struct thread *thread;   /* the runtime's record of it; NULL if unknown */
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
/* Resumes them. */
void parking_end(struct parking *parking);

#endif
