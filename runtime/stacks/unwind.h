/* Walks the chain of frame pointers.
 *
 * A frame is { saved frame pointer, return address }. The walk reads only
 * between the frame it starts from and the high end of the thread's stack,
 * which is mapped memory whatever the program left in its registers.
 */
#ifndef WHENCE_STACKS_UNWIND_H
#define WHENCE_STACKS_UNWIND_H

#include <stdint.h>
#include "depot.h"
#include "whence_abi.h"

struct stack_bounds {
    uintptr_t low, high;
};

struct frame {
    const struct frame *up;
    uintptr_t return_address;
};

/* A value that can be a return address: not in the null page, the heap, the
 * stack itself, or outside user space. */
static inline int unwind_plausible(uintptr_t pc, const struct stack_bounds *stack) {
    return pc - WH_NULL_PAGE_SIZE < (1ull << WH_ADDRESS_BITS) - WH_NULL_PAGE_SIZE &&
           pc - WH_HEAP_BASE >= WH_HEAP_SIZE && pc - stack->low >= stack->high - stack->low;
}

static inline int unwind_on_stack(const struct frame *frame, const struct stack_bounds *stack) {
    uintptr_t at = (uintptr_t)frame;
    return at >= stack->low && at < stack->high && stack->high - at >= sizeof(struct frame) &&
           at % sizeof(uintptr_t) == 0;
}

/* Stores at most max (at least 1) return addresses, innermost first, and the
 * hash of the stack. `frame` is a real frame: its return address is taken as it
 * is. On a stack that is not the thread's own, only that one is known. */
static inline unsigned unwind_frames(const struct frame *frame, const struct stack_bounds *stack,
                                     uint64_t *pcs, unsigned max, uint64_t *hash) {
    unsigned count = 0;
    uint64_t value = DEPOT_HASH_INIT;
    uintptr_t pc = frame->return_address;
    for (;;) {
        pcs[count++] = pc;
        value = depot_hash_step(value, pc);
        const struct frame *up = frame->up;
        if (count >= max || up <= frame || !unwind_on_stack(frame, stack) ||
            !unwind_on_stack(up, stack))
            break;
        frame = up;
        pc = frame->return_address;
        if (!unwind_plausible(pc, stack)) break;
    }
    *hash = value;
    return count;
}

#endif
