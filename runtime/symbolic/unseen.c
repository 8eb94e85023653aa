/* Calls of code that follows no expressions: what it is given is bound to its values. */
#include "bytes.h"
#include "passing.h"
#include "unseen.h"
#include "../process/images.h"

#include <string.h>

/* Outside of the heap nothing says where an object ends: after so many concrete bytes, and at most
 * so far from the pointer. */
#define GAP 64u
#define FAR 4096u

#define HIDDEN __attribute__((visibility("hidden")))

static __thread uint64_t last;

uint64_t unseen_last(void) { return last; }

extern const struct unseen_allocation __start_whence_allocations[] HIDDEN;
extern const struct unseen_allocation __stop_whence_allocations[] HIDDEN;

/* What an allocation takes; 0 for other functions. */
static unsigned takes(uint64_t function) {
    const struct unseen_allocation *each = __start_whence_allocations;
    for (; each != __stop_whence_allocations; each++)
        if ((uintptr_t)each->function == function) return each->takes;
    return 0;
}

/* Other addresses of blocks, and other sizes, are tried. */
static void bind_arguments(uint64_t function, unsigned what, uint64_t pc) {
    struct taken taken = passing_take((const void *)(uintptr_t)function);
    for (unsigned i = 0; i < WHENCE_SYMBOLIC_MOST_ARGUMENTS; i++) {
        int is_block = !i && what & TAKES_BLOCK;
        decision_bind(taken.arguments[i], is_block ? WH_REASON_ADDRESS : WH_REASON_SIZE, pc);
    }
}

WH_EXPORT void __whence_symbolic_leave(uint64_t function) {
    last = HERE;
    if (!__whence_symbolic.passed.callee || images_hold(function)) return;
    unsigned what = takes(function);
    if (what)
        bind_arguments(function, what, HERE);
    else
        __whence_symbolic_cold_untaken(function, HERE);
}

static void bind_near(uintptr_t at, uint64_t pc) {
    for (size_t done = 0, plain = 0; done < FAR && plain < GAP; done += 8) {
        if (memory_is_plain(at + done, 8)) return;
        plain = memory_marks(at + done, 8) ? 0 : plain + 8;
        if (!plain) memory_bind(at + done, 8, WH_REASON_UNSEEN, pc);
    }
}

WH_EXPORT void __whence_symbolic_lend(uint64_t function, uint64_t at) {
    last = HERE;
    if (!at || memory_is_plain(at, 1) || images_hold(function) || takes(function)) return;
    struct whence_bounds block = blocks_live_range(at);
    if (block.size)
        memory_bind(block.begin, block.size, WH_REASON_UNSEEN, HERE);
    else
        bind_near(at, HERE);
}

/* Whether the format of a printf has a %n. */
WH_EXPORT int __whence_symbolic_of_format(const char *format) {
    for (const char *at = format; at && *at; at++) {
        if (*at != '%') continue;
        at += 1 + strspn(at + 1, "-+ #0'I*$.123456789hlLqjzt");
        if (*at == 'n') return 1;
        if (!*at) return 0;
    }
    return 0;
}
