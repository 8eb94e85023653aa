/* Makes the other threads stand still, with their registers on their stacks. */
#ifndef WHENCE_LEAK_STOP_H
#define WHENCE_LEAK_STOP_H

#include <stddef.h>
#include <stdint.h>

struct parked {
    uint32_t tid;
    uint32_t stands; /* set by the thread itself, last */
    uintptr_t sp;    /* everything it uses lies at and above */
};

struct parking {
    struct parked *threads;
    size_t count;
    size_t missing; /* threads that did not answer in time */
};

/* Stops all threads but the calling one. */
void parking_begin(struct parking *parking);
/* Lets them go. */
void parking_end(struct parking *parking);

#endif
