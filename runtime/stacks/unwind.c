#include "unwind.h"
#include "../os/mem.h"
#include "../os/os.h"

/* From where a handler returns to what the signal interrupted. That is no call, so one is added to
 * its program counter, as if it were a return address. */
static int go_back(struct walk *walk, const struct stack_bounds *stack) {
    uintptr_t from = walk->sp, to = from + UNWIND_REGISTERS_END;
    if (from < stack->low || to > stack->high || from % sizeof(uint64_t)) return 0;
    walk->pc = *unwind_register(from, REG_RIP) + 1;
    walk->sp = *unwind_register(from, REG_RSP);
    walk->pointer = (const struct frame *)*unwind_register(from, REG_RBP);
    return (walk->sp < stack->low || walk->sp >= to) && unwind_plausible(walk->pc, stack);
}

int unwind_step(struct walk *walk, cfi_rule rule, const struct stack_bounds *stack) {
    const struct frame *frame = walk->pointer;
    if (CFI_FRAME(rule) == CFI_END) return 0;
    if (CFI_FRAME(rule) == CFI_SIGNAL) return go_back(walk, stack);
    if (CFI_FRAME(rule) == CFI_POINTER) {
        if ((uintptr_t)frame < walk->sp || !unwind_on_stack(frame, stack)) return 0;
        walk->pointer = frame->up;
    } else {
        uintptr_t end = walk->sp + 8 * CFI_FRAME(rule), saved = end - 8 * CFI_SAVED(rule);
        frame = (const struct frame *)(end - sizeof *frame);
        if (!unwind_on_stack(frame, stack)) return 0;
        if (CFI_SAVED(rule) && saved >= walk->sp)
            walk->pointer = *(const struct frame *const *)saved;
    }
    walk->pc = frame->return_address;
    walk->sp = (uintptr_t)(frame + 1);
    return unwind_plausible(walk->pc, stack);
}

/* The next frame of another stack is looked for so far above the stack pointer. */
#define FRAME_MOST (1ull << 20)

/* Makes a frame part of what is known to be mapped, with the bytes from the stack pointer up to it
 * that a rule may read: those on the pages of both. */
static int reaches(const struct frame *frame, uintptr_t sp, struct stack_bounds *other) {
    uintptr_t at = (uintptr_t)frame;
    if (at < sp || at - sp > FRAME_MOST || at % sizeof(uintptr_t)) return 0;
    if (sp >= other->high && !os_readable(wh_round_down(sp, sizeof(uintptr_t)))) return 0;
    if (!os_readable(at) || !os_readable(at + sizeof(uintptr_t))) return 0;
    if (other->low == other->high) other->low = sp;
    other->high = wh_round_up(at + sizeof *frame, OS_PAGE);
    return 1;
}

int unwind_step_anywhere(struct walk *walk, cfi_rule rule, const struct stack_bounds *own,
                         struct stack_bounds *other) {
    if (CFI_FRAME(rule) == CFI_END) return 0;
    /* What lies above the thread's own part of its stack belongs to who called its first function.
     */
    if (walk->sp - own->low <= own->high - own->low) return unwind_step(walk, rule, own);
    const struct frame *frame = walk->pointer;
    if (CFI_FRAME(rule) == CFI_SIGNAL)
        frame = (const struct frame *)(walk->sp + UNWIND_REGISTERS_END - sizeof *frame);
    else if (CFI_FRAME(rule) != CFI_POINTER)
        frame = (const struct frame *)(walk->sp + 8 * CFI_FRAME(rule) - sizeof *frame);
    if (unwind_on_stack(frame, own)) {
        /* The stacks lie in any order: the frames of the thread's own go upward from this one. */
        if (frame == walk->pointer) walk->sp = (uintptr_t)frame;
        return unwind_step(walk, rule, own);
    }
    if (!unwind_on_stack(frame, other) && !reaches(frame, walk->sp, other)) return 0;
    return unwind_step(walk, rule, other);
}

unsigned unwind_elsewhere(const struct frame *frame, const struct stack_bounds *own, uint64_t *pcs,
                          unsigned max, uint64_t *hash) {
    struct walk walk = {frame->return_address, (uintptr_t)(frame + 1), frame->up};
    struct stack_bounds other = {(uintptr_t)frame, wh_round_up(walk.sp, OS_PAGE)};
    uint64_t value = DEPOT_HASH_INIT;
    unsigned count = 0;
    do {
        pcs[count++] = walk.pc;
        value = depot_hash_step(value, walk.pc);
    } while (count < max && unwind_step_anywhere(&walk, cfi_at(walk.pc), own, &other));
    *hash = value;
    return count;
}
