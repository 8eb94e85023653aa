/* ucontext.h: stacks that the program makes. */
#include <stdarg.h>
#include "check.h"
#include "../planes/planes.h"

#include <ucontext.h>

/* The bounds of a heap block that becomes a stack are not those of the variables in it: loops must
 * not rely on them. */
WRAP(int, swapcontext, (ucontext_t * from, const ucontext_t *to)) {
    NOT_NULL(from);
    NOT_NULL(to);
    if (to && blocks_in_heap((uintptr_t)to->uc_stack.ss_sp)) __whence_holes = 1;
    return swapcontext(from, to);
}
