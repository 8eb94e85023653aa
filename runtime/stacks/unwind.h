/* Walks a stack: by frame pointers where the code has them, by call frame
 * information where it has none.
 *
 * A frame is { saved frame pointer, return address }. The walk reads only
 * between the frame it starts from and the high end of the thread's stack,
 * which is mapped memory whatever the program left in its registers.
 */
#ifndef WHENCE_STACKS_UNWIND_H
#define WHENCE_STACKS_UNWIND_H

#include <stdint.h>
#include "cfi.h"
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

/* Where a walk stands: a return address, and the registers after that return. */
struct walk {
    uint64_t pc;
    uintptr_t sp;
    const struct frame *pointer;
};

/* Goes to the caller of the code at walk->pc, by its rule. 0 at the end. */
int unwind_step(struct walk *walk, cfi_rule rule, const struct stack_bounds *stack);

/* Stores at most max (at least 1) return addresses, innermost first, and the
 * hash of the stack. `frame` is a real frame: its return address is taken as it
 * is. On a stack that is not the thread's own, only that one is known. */
static inline unsigned unwind_frames(const struct frame *frame, const struct stack_bounds *stack,
                                     uint64_t *pcs, unsigned max, uint64_t *hash) {
    struct walk walk = {frame->return_address, (uintptr_t)(frame + 1), frame->up};
    uint64_t value = depot_hash_step(DEPOT_HASH_INIT, walk.pc);
    uintptr_t last = stack->high - sizeof *frame;
    unsigned count = 1;
    pcs[0] = walk.pc;
    if (!unwind_on_stack(frame, stack)) max = 1;
    while (count < max) {
        /* What the table knows to have frame pointers was found plausible before. */
        uintptr_t at = (uintptr_t)walk.pointer;
        int quick = *cfi_entry(walk.pc) == (walk.pc << 17 | CFI_POINTER) && at >= walk.sp &&
                    at <= last && at % sizeof(uintptr_t) == 0;
        if (__builtin_expect(!quick, 0)) {
            struct walk slow = walk;
            if (!unwind_step(&slow, cfi_at(walk.pc), stack)) break;
            walk = slow;
        } else {
            walk.pc = walk.pointer->return_address;
            walk.sp = at + sizeof *frame;
            walk.pointer = walk.pointer->up;
            if (__builtin_expect(!walk.pc || *cfi_entry(walk.pc) >> 17 != walk.pc, 0) &&
                !unwind_plausible(walk.pc, stack))
                break;
        }
        pcs[count++] = walk.pc;
        value = depot_hash_step(value, walk.pc);
    }
    *hash = value;
    return count;
}

#endif
