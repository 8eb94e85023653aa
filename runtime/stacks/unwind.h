/* Walks a stack: by frame pointers where the code has them, by call frame
 * information where it has none.
 *
 * A frame is { saved frame pointer, return address }. On the thread's own stack
 * the walk reads only between the frame it starts from and the stack's high end,
 * which is mapped memory whatever the program left in its registers. Of another
 * stack (which the program made, or gave to its signal handlers) the high end is
 * not known: there the walk asks the kernel whether a page is mapped before it
 * reads the first frame in it. Where a frame's caller lies on the thread's own
 * stack, the walk goes on there. Behind a signal's handler stands what the signal
 * interrupted, by the registers that the kernel has put on the stack.
 */
#ifndef WHENCE_STACKS_UNWIND_H
#define WHENCE_STACKS_UNWIND_H

#include <stdint.h>
#include "cfi.h"
#include "depot.h"
#include "whence_abi.h"

#include <stddef.h>
#include <ucontext.h>

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

/* When a handler has returned, the stack pointer stands at the context that the kernel has put
 * there, of which the registers are what is read. */
#define UNWIND_REGISTERS offsetof(ucontext_t, uc_mcontext.gregs)
#define UNWIND_REGISTERS_END (UNWIND_REGISTERS + sizeof(gregset_t))

static inline const uint64_t *unwind_register(uintptr_t context, unsigned number) {
    return (const uint64_t *)(context + UNWIND_REGISTERS) + number;
}

/* Where a walk stands: a return address, and the registers after that return. */
struct walk {
    uint64_t pc;
    uintptr_t sp;
    const struct frame *pointer;
};

/* Goes to the caller of the code at walk->pc, by its rule. 0 at the end. */
int unwind_step(struct walk *walk, cfi_rule rule, const struct stack_bounds *stack);

/* The same where the code may run on another stack than the thread's own. `other`: the part of that
 * stack which is known to be mapped, at first empty; it grows upward. */
int unwind_step_anywhere(struct walk *walk, cfi_rule rule, const struct stack_bounds *own,
                         struct stack_bounds *other);

/* As unwind_frames, from a frame on another stack. */
unsigned unwind_elsewhere(const struct frame *frame, const struct stack_bounds *own, uint64_t *pcs,
                          unsigned max, uint64_t *hash);

/* The words of the stack that decided a walk: one, or two side by side (a whole frame). */
struct read {
    uintptr_t address;
    int paired;
    uint64_t value, next;
};

struct reads {
    unsigned count;
    struct read all[2 * WH_MAX_FRAMES];
};

static inline void unwind_note(struct reads *reads, struct read read) {
    reads->all[reads->count++] = read;
}

/* What a step from a frame to its caller has read, if it got as far as reading. */
static inline void unwind_note_step(struct reads *reads, const struct walk *from,
                                    const struct walk *to, cfi_rule rule) {
    if (from->sp == to->sp) return;
    if (CFI_FRAME(rule) == CFI_SIGNAL) {
        const uint64_t *place = unwind_register(from->sp, REG_RSP);
        unwind_note(reads, (struct read){(uintptr_t)place, 1, to->sp, to->pc - 1});
        place = unwind_register(from->sp, REG_RBP);
        unwind_note(reads, (struct read){(uintptr_t)place, 0, (uintptr_t)to->pointer, 0});
        return;
    }
    uintptr_t frame = to->sp - sizeof(struct frame), up = (uintptr_t)to->pointer;
    if (CFI_FRAME(rule) == CFI_POINTER) {
        unwind_note(reads, (struct read){frame, 1, up, to->pc});
        return;
    }
    uintptr_t saved = to->sp - sizeof(uintptr_t) * CFI_SAVED(rule);
    unwind_note(reads, (struct read){frame + sizeof(uintptr_t), 0, to->pc, 0});
    if (CFI_SAVED(rule) && saved >= from->sp) unwind_note(reads, (struct read){saved, 0, up, 0});
}

/* Stores at most max (at least 1) return addresses, innermost first, and the
 * hash of the stack. `frame` is a real frame: its return address is taken as it
 * is. `reads`: NULL, or gets what was read; on another stack than the thread's
 * own only the first frame, since its memory may be gone the next time. */
static inline unsigned unwind_frames(const struct frame *frame, const struct stack_bounds *stack,
                                     uint64_t *pcs, unsigned max, uint64_t *hash,
                                     struct reads *reads) {
    struct walk walk = {frame->return_address, (uintptr_t)(frame + 1), frame->up};
    uint64_t value = depot_hash_step(DEPOT_HASH_INIT, walk.pc);
    uintptr_t last = stack->high - sizeof *frame;
    unsigned count = 1;
    pcs[0] = walk.pc;
    if (reads)
        unwind_note(reads, (struct read){(uintptr_t)frame, 1, (uintptr_t)frame->up, walk.pc});
    if (__builtin_expect(!unwind_on_stack(frame, stack), 0))
        return unwind_elsewhere(frame, stack, pcs, max, hash);
    while (count < max) {
        /* What the table knows to have frame pointers was found plausible before. */
        uintptr_t at = (uintptr_t)walk.pointer;
        int quick = *cfi_entry(walk.pc) == (walk.pc << 17 | CFI_POINTER) && at >= walk.sp &&
                    at <= last && at % sizeof(uintptr_t) == 0;
        if (__builtin_expect(!quick, 0)) {
            struct walk slow = walk;
            cfi_rule rule = cfi_at(walk.pc);
            int goes_on = unwind_step(&slow, rule, stack);
            if (reads) unwind_note_step(reads, &walk, &slow, rule);
            if (!goes_on) break;
            walk = slow;
        } else {
            walk.pc = walk.pointer->return_address;
            walk.sp = at + sizeof *frame;
            walk.pointer = walk.pointer->up;
            if (reads) unwind_note(reads, (struct read){at, 1, (uintptr_t)walk.pointer, walk.pc});
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
