/* ucontext.h: stacks that the program makes. */
#include <stdarg.h>
#include "check.h"
#include "../planes/planes.h"
#include "../process/contexts.h"
#include "../process/thread.h"

#include <ucontext.h>

/* The bounds of a heap block that becomes a stack are not those of the variables in it: loops must
 * not rely on them. */
static void note_stack(const ucontext_t *context) {
    if (blocks_in_heap((uintptr_t)context->uc_stack.ss_sp)) __whence_holes = 1;
}

WRAP(int, swapcontext, (ucontext_t * from, const ucontext_t *to)) {
    NOT_NULL(from);
    NOT_NULL(to);
    if (to) note_stack(to);
    return swapcontext(from, to);
}

/* Arguments behind those in registers are passed as a copy of this, which lies where they would. */
#define PASSED_MOST 256
struct passed {
    uint64_t words[PASSED_MOST];
};

WRAP(void, makecontext, (ucontext_t * context, void (*function)(void), int count, ...)) {
    static int noted;
    uint64_t first[3] = {0};
    struct passed passed;
    NOT_NULL(context);
    va_list arguments;
    va_start(arguments, count);
    for (int i = 0; i < count && i < 3 + PASSED_MOST; i++) {
        uint64_t word = va_arg(arguments, uint64_t);
        *(i < 3 ? &first[i] : &passed.words[i - 3]) = word;
    }
    va_end(arguments);
    if (count > 3 + PASSED_MOST) rt_note(&noted, "makecontext passes 259 arguments at most");
    makecontext(context, function, count, first[0], first[1], first[2], passed);
    note_stack(context);
    contexts_made((uintptr_t)context->uc_stack.ss_sp,
                  (uintptr_t)context->uc_mcontext.gregs[REG_RSP]);
}
