/* What the runtime keeps for each thread, and the state of the whole. */
#ifndef WHENCE_PROCESS_THREAD_H
#define WHENCE_PROCESS_THREAD_H

#include <stdint.h>
#include "../alloc/heap.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "../stacks/depot.h"
#include "../stacks/memo.h"
#include "../stacks/unwind.h"

/* What a thread was told last of an access. */
struct told {
    uint64_t point;      /* WH_POINT_*, 0: nothing */
    uintptr_t low, high; /* the bytes it was about */
    uintptr_t frame;     /* where the check stood on the stack */
    uint64_t pc, outer;  /* the program's innermost place, and the hash of those around it */
    int by_library;
};

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
    uint16_t number;           /* order of creation, main is 0; stops at 65535 */
    uint8_t in_finding;        /* a finding is being made: no second one inside it */
    uint32_t excusing;         /* depth: blocks allocated now are no leaks */
    uint32_t silent;           /* depth: no rule is evaluated for this thread */
    struct last_event *events; /* two for each watched function; mapped when first needed */
    uintptr_t alternate_stack; /* for signal handlers; 0 if the thread has none of ours */
    struct block last_block;   /* the one that rules looked at last */
    uint64_t event_time;       /* of the event that rules are looking at */
    struct told told;          /* the last finding about an access, if it went on */
};

extern __thread struct thread thread_self;

/* The main function of the program has returned. */
extern int thread_main_returned;

/* Sets up the record of the main thread; no C library is needed. */
void thread_init_main(void);

/* Code in this section starts the program's own code: frames there are ours. */
#define START_CODE __attribute__((section("whence_start_code"), noinline))
int thread_is_start_code(uint64_t pc);

/* At the end of the process: where the living part of the calling thread's stack
 * begins if its program code has returned, 0 if not. */
uintptr_t thread_stack_after_end(void);

/* The memo that a thread keeps of its stacks goes to another one. */
void thread_give_memo(struct thread *thread);
/* Around fork. */
void thread_lock_memos(void);
void thread_unlock_memos(void);

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
