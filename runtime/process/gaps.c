#include "gaps.h"
#include "thread.h"
#include "../os/mem.h"

WH_EXPORT __thread struct whence_gaps __whence_gaps __attribute__((tls_model("initial-exec")));

_Static_assert(offsetof(struct whence_gaps, count) == 0, "generated code writes it");
_Static_assert(offsetof(struct whence_gaps, rows) == WHENCE_GAPS_HEAD,
               "generated code has the size");

/* Smaller stacks have no gaps. */
#define STACK_LEAST (1ull << 20)
/* A limit that is none. */
#define STACK_MOST (1ull << 40)
/* The share of a stack at its end where code makes none. */
#define END_SHARE 4u

#define STACK_ALIGN 16u

void gaps_begin(uint64_t stack) {
    uintptr_t high = thread_self.stack.high;
    uint64_t span = stack < STACK_LEAST ? 0 : (stack < STACK_MOST ? stack : STACK_MOST) / END_SHARE;
    __whence_gaps.count = 0;
    __whence_gaps.span = span * (END_SHARE - 1);
    __whence_gaps.low = high - __whence_gaps.span;
}

/* The least size of a gap inside of so many others, and of how many bytes it may be larger, which
 * is a power of two. */
static uint64_t least(uint64_t others) { return others < 4 ? 6144 : others < 8 ? 2048 : 1024; }
static uint64_t more(uint64_t others) { return others < 4 ? 2048 : 1024; }

/* Functions that go on have their variables above the stack pointer. Those that were left by
 * longjmp or an exception have them below it, or in frames that others have now, which whoever asks
 * for a gap finds out. Variables of later calls lie below those of earlier ones until they would be
 * too far away. */
WH_EXPORT uint64_t __whence_gap(uint64_t size, const struct whence_variable *variable) {
    struct whence_gaps *gaps = &__whence_gaps;
    const struct frame *own = __builtin_frame_address(0);
    uintptr_t sp = (uintptr_t)(own + 1);
    if (WH_UNLIKELY(sp - gaps->low >= gaps->span)) return size;
    uint64_t count = gaps->count <= WHENCE_GAPS_MOST ? gaps->count : 0;
    while (count && gaps->rows[count - 1].variables < sp) count--;
    if (WH_UNLIKELY(count == WHENCE_GAPS_MOST)) return size;
    uint64_t gap = least(count) + (gaps->turn & (more(count) - 1));
    gaps->turn += size;
    uintptr_t variables = wh_round_down(sp - size - gap, STACK_ALIGN);
    gaps->rows[count] = (struct whence_gap){variables, variables + size, variables + size + gap,
                                            variable, (uintptr_t)own->up};
    gaps->count = count + 1;
    return size + gap;
}

const struct whence_gap *gaps_around(uintptr_t address) {
    const struct whence_gaps *gaps = &__whence_gaps;
    for (uint64_t i = gaps->count < WHENCE_GAPS_MOST ? gaps->count : WHENCE_GAPS_MOST; i; i--) {
        const struct whence_gap *row = &gaps->rows[i - 1];
        if (address >= row->begin && address < row->end) return row;
    }
    return NULL;
}

static void begins(const struct new_thread *thread) { gaps_begin(thread->stack_size); }

const struct observer gaps_observer = {.always = 1, .begins = begins};
