#include "unwind.h"

int unwind_step(struct walk *walk, cfi_rule rule, const struct stack_bounds *stack) {
    const struct frame *frame = walk->pointer;
    if (CFI_FRAME(rule) == CFI_END) return 0;
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
