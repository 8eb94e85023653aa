/* A row stands for a context until another one takes its stack. Nobody says when a context has
 * ended and its memory serves something else, which overwrites what makecontext wrote at the high
 * end: so a row holds while that is there. */
#include "contexts.h"
#include "../blocks/block.h"
#include "../os/os.h"
#include "../stacks/unwind.h"

/* A power of two. A context whose row another one takes is no longer known. */
#define CONTEXTS_MOST 4096u

/* top is 0 where nothing stands, 1 while a row is written. */
static struct context_row {
    uintptr_t low, top;
    uint64_t returns;
} rows[CONTEXTS_MOST];
static int any;

static struct context_row *row_of(uintptr_t low) {
    return &rows[(low * 0x9e3779b97f4a7c15ull) >> 52 & (CONTEXTS_MOST - 1)];
}

void contexts_made(uintptr_t low, uintptr_t top) {
    struct context_row *row = row_of(low);
    if (top <= low || __atomic_exchange_n(&row->top, 1, __ATOMIC_ACQUIRE) == 1) return;
    row->low = low;
    row->returns = *(const uint64_t *)top;
    __atomic_store_n(&row->top, top, __ATOMIC_RELEASE);
    any = 1;
}

/* A heap block may have been freed, and another one be there. */
static int is_intact(const struct context_row *row, uintptr_t top) {
    if (!os_readable(top) || *(const uint64_t *)top != row->returns) return 0;
    if (!blocks_in_heap(top)) return 1;
    struct whence_bounds block = heap_live_range(top);
    return top - block.begin < block.size && row->low - block.begin < block.size;
}

/* The memory may have been a larger stack before: what all rows agree on is the stack. */
int contexts_stack_of(uintptr_t sp, struct stack_bounds *stack) {
    int found = 0;
    for (unsigned i = 0; any && i < CONTEXTS_MOST; i++) {
        uintptr_t top = __atomic_load_n(&rows[i].top, __ATOMIC_ACQUIRE), low = rows[i].low;
        if (sp > top || sp < low || top == 1 || !is_intact(&rows[i], top)) continue;
        if (!found) *stack = (struct stack_bounds){low, top};
        if (low > stack->low) stack->low = low;
        if (top < stack->high) stack->high = top;
        found = 1;
    }
    return found;
}
