/* Frames that are left without their ends. A function takes the marks of its variables back when it
 * returns. After longjmp or an exception, the code where control arrives does that for all memory
 * below its frame that may have some. */
#include "ranges.h"

/* More is not looked at: so far apart are stacks, and not frames of one. */
#define LEFT_MOST (8ull << 20)

WH_EXPORT void __whence_value_landed(void) {
    uintptr_t end = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
    uint64_t *depth = &__whence_values.memory.depth;
    uintptr_t begin = ~*depth;
    if (begin >= end) return;
    *depth = ~end;
    if (end - begin > LEFT_MOST) begin = end - LEFT_MOST;
    __whence_value_define(begin, end - begin);
}
