/* The context of an event: the facts that findings need and rules do not. */
#ifndef WHENCE_FINDINGS_CONTEXT_H
#define WHENCE_FINDINGS_CONTEXT_H

#include "../blocks/block.h"
#include "../process/thread.h"
#include "../port/port.h"

/* Where a descriptor was opened and closed; stacks are depot handles. A time of 0: not known. */
struct descriptor {
    uint32_t number;
    uint32_t opened_stack, closed_stack;
    uint16_t opened_thread, closed_thread;
    uint64_t opened_time, closed_time;
};

/* What happened before to a lock or a thread (WH_EARLIER_*); stacks are depot handles. */
struct earlier {
    uint32_t kind, subject; /* subject: the number of the thread that it happened to */
    uint32_t thread, stack; /* who did it, and where */
    uint64_t time;
};

struct earlier_steps {
    struct earlier steps[WH_EARLIER_MOST];
    unsigned count;
};

/* A pointer, what it was visibly derived from, and the block that it belongs to. */
struct pointer {
    uint64_t address, root;
    struct whence_block block;
};

/* Memory that was read as a whole: its undefined bytes, offsets with lengths, and whether there are
 * more. */
struct undefined_bytes {
    uint64_t begin, size;
    uint64_t runs[2 * WH_MOST_UNDEFINED];
    uint32_t count, more;
};

/* Evaluators get a pointer to the first member and pass it on to __whence_fire. */
struct context {
    struct whence_event event;
    const struct frame *frame; /* the stack of the event begins with its return address */
    struct walk trap;          /* used instead of `frame` at a trap: the registers there */
    const char *library;       /* the library function that made the access, or NULL */
    uint64_t bad;              /* first byte of the access that is not addressable, or 0 */
    uint64_t beyond; /* bytes of the access past the end of all addresses; its width omits them */
    uint32_t flags;  /* WH_FLAG_* */
    uint32_t signal;
    uint64_t findings;   /* made so far */
    int repeats;         /* a trap that comes from the access that was reported last */
    uintptr_t stack_low; /* the program uses its stack from here up; 0: from the current frame */
    uint64_t new_leaks;  /* blocks that a leak check reports for the first time */
    int collect;         /* findings with a witness are grouped by allocation stack */
    uint32_t check;      /* WH_CHECK_* of a leak check, which never ends the program; 0: none */
    const struct descriptor *descriptor; /* at uses of one that was closed, or NULL */
    const struct earlier_steps *earlier; /* of a lock or a thread, or NULL */
    const char *types;   /* of the step, or what was said before an abort, for reports, or NULL */
    uint64_t origin;     /* of undefined bytes that are read, or 0 */
    uint32_t birth;      /* the stack at which the labels of a value were born, or 0 */
    uint32_t place;      /* the stack to report where no code of the program runs, or 0 */
    const void *machine; /* the registers at a signal, a ucontext_t, or NULL */
    uint64_t pc;         /* where a signal interrupted this thread, or 0 */
    const struct pointer *second;            /* where two pointers take part, or NULL */
    const struct undefined_bytes *undefined; /* at uses of memory, or NULL */
};

/* An event about a block, at a pointer that the program got or gave. */
static inline struct context context_about(unsigned point, uintptr_t address, uint64_t size,
                                           struct block block, const struct frame *frame) {
    struct context context = {0};
    context.event.point = point;
    context.event.r = context.event.root = address;
    context.event.width = size;
    block_read(block, &context.event.block);
    context.frame = frame;
    return context;
}

#endif
