/* What the runtime keeps for each thread, and the state of the whole. */
#ifndef WHENCE_RT_THREAD_H
#define WHENCE_RT_THREAD_H

#include <stdint.h>
#include "../alloc/heap.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "../stacks/depot.h"
#include "../stacks/memo.h"
#include "../stacks/unwind.h"
#include "repeat.h"

/* The last call or return of a watched function. */
struct last_event {
    uint64_t time, value;
};

struct thread {
    struct heap_cache cache;
    struct depot_cache depot;
    struct memo *memo;         /* NULL until enough stacks were met */
    uint32_t stacks;           /* met without it */
    struct stack_bounds stack; /* high: the frame the runtime started the thread from */
    uint32_t tid;
    uint16_t number;               /* order of creation, main is 0; stops at 65535 */
    uint8_t in_finding;            /* a finding is being made: no second one inside it */
    uint32_t excusing;             /* depth: blocks allocated now are no leaks */
    uint32_t silent;               /* depth: no rule is evaluated for this thread */
    struct last_event *events;     /* two for each watched function; mapped when first needed */
    uintptr_t alternate_stack;     /* for signal handlers; 0 if the thread has none of ours */
    struct block_place last_block; /* the one that rules looked at last */
    uint64_t event_time;           /* of the event that rules are looking at */
    struct told told;              /* the last finding about an access, if it went on */
};

extern __thread struct thread thread_self;

/* 0 until the ranges are reserved and the options read. */
extern int rt_ready;

static inline struct thread *thread_here(void) {
    if (WH_UNLIKELY(!rt_ready)) port_start();
    return &thread_self;
}

/* Zeroed memory for good, where no leak search looks; NULL if there is no more. */
void *rt_private(size_t size);

/* A lasting sentence to the user, once for each `said` flag. */
void rt_note(int *said, const char *sentence);

/* The frame of the calling function; NULL where nobody looks at stacks. */
#define FRAME_HERE ((const struct frame *)(PORT_CHECKS ? __builtin_frame_address(0) : NULL))

#endif
