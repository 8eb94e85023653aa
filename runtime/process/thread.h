/* The state of a thread, and the functions that all of the runtime needs. */
#ifndef WHENCE_PROCESS_THREAD_H
#define WHENCE_PROCESS_THREAD_H

#include <stdint.h>
#include "../alloc/heap.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "../stacks/depot.h"
#include "../stacks/memo.h"
#include "../stacks/unwind.h"

/* The access that the last finding of a thread reports. */
struct reported_access {
    uint64_t point;      /* WH_POINT_*; 0: no finding yet */
    uintptr_t low, high; /* the bytes of the access */
    uintptr_t frame;     /* the stack frame of the function that checked it */
    uint64_t pc, outer;  /* the innermost return address, and a hash of those of its callers */
    int by_library;      /* a library function was about to make the access */
};

/* An event about the address of an access whose own error, which is the graver one, is found next.
 */
struct put_off_event {
    uint64_t point; /* WH_POINT_*; 0: none */
    uintptr_t address;
    uint64_t width, value;
};

struct thread {
    struct heap_cache cache;
    struct depot_cache depot;
    struct memo *memo;         /* NULL until the thread has looked up enough stacks */
    uint32_t stacks;           /* looked up without the memo */
    struct stack_bounds stack; /* high: the frame from which the runtime started the thread */
    uint32_t tid;
    uint16_t number;            /* order of creation, main is 0; stops at 65535 */
    uint8_t in_finding;         /* the thread makes a finding; it must not begin another one */
    uint8_t hooking;            /* a hook of the program for malloc and free runs */
    uint8_t recalling;          /* the thread reads or changes histories */
    uint8_t profiling;          /* it changes the profile of the heap */
    uintptr_t last_made;        /* the block that it was given last, while it lives; else 0 */
    uintptr_t replaced;         /* a block that realloc will free: the profile knows; else 0 */
    uint32_t excusing;          /* nesting depth; above 0, new blocks are never reported as leaks */
    uint32_t silent;            /* nesting depth; above 0, no rule is evaluated for this thread */
    uint32_t recalled_stack;    /* of the event of an object that a rule looks at; 0: of none */
    struct whence_past *events; /* two for each watched function; mapped when first needed */
    uintptr_t alternate_stack;  /* that the runtime gave it for signal handlers; 0: none */
    struct block last_block;    /* the block that a rule looked up last */
    uintptr_t judging;   /* the stack pointer of the code whose access is judged; 0: none is */
    uint64_t event_time; /* of the event that rules are evaluated for */
    struct reported_access reported; /* by the last finding after which the program continued */
    struct put_off_event put_off;
};

extern __thread struct thread thread_self;

/* The main function of the program has returned. */
extern int thread_main_returned;

/* The kernel keeps at least this much below the main stack's begin free of other mappings. */
#define THREAD_MAIN_STACK_LEAST (128ull << 20)

/* Sets up the record of the main thread; no C library is needed. */
void thread_init_main(void);

/* Finds where the runtime's thread-local memory lies; once, by the C library. */
void thread_find_own_memory(void);
/* Where that of the thread with this record begins, and its size; 0 if it is not known. */
uintptr_t thread_own_memory(const struct thread *thread, size_t *size);

/* Code in this section starts the program's own code; its frames belong to the runtime. */
#define START_CODE __attribute__((section("whence_start_code"), noinline))
int thread_is_start_code(uint64_t pc);

/* At the end of the process: the lowest address of the calling thread's stack that is still in use,
 * if its program code has returned; 0 if it has not. */
uintptr_t thread_stack_after_end(void);

/* Leaves the memo of an ending thread to a later thread. */
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

/* Zeroed memory that is never freed and that leak searches do not read; NULL if there is no more.
 */
void *rt_private(size_t size);

/* Writes a sentence to the record, or to standard error without one; once for each `noted` flag. */
void rt_note(int *noted, const char *sentence);

/* The frame of the calling function; NULL in a product that walks no stacks. */
#define FRAME_HERE ((const struct frame *)(PORT_CHECKS ? __builtin_frame_address(0) : NULL))

#endif
