/* Guarded blocks: each ends (top) or begins (bottom) at a page that cannot be accessed, as in
 * Redzal, the red zone allocator of Mach (Kivinen 1992).
 *
 *     slot    | red zone | data pages | red zone | empty zone … |
 *     top     |          |   |  block |          |
 *     bottom  |          |block  |    |          |
 *
 * Slots are those of blocks.h, so the block at or near an address follows by arithmetic. A fault
 * in a red zone or in data pages that are closed is about the slot's block; a fault in an empty
 * zone is a wild pointer. The bytes of the data pages that are not the block's hold a pattern,
 * which is looked at when the block is freed.
 *
 * Slots below guard_first_shift are *plain*: the block at the begin, then pattern, all of it
 * accessible. They hold every block in plain mode, and in the others small blocks that the system
 * grants no mapping for. Where nothing can be had from us the C library allocates (lend.h).
 *
 * Invariants:
 *   - what is not a live block's page is closed to the processor in guarded slots;
 *   - a freed block has lost its contents in guarded slots, and holds a pattern in plain ones;
 *   - sizes of zones and the type never change after the first allocation.
 */
#ifndef WHENCE_GUARD_GUARD_H
#define WHENCE_GUARD_GUARD_H

#include "../alloc/heap.h"
#include "../os/text.h"
#include "../stacks/unwind.h"

enum guard_type { GUARD_PLAIN, GUARD_TOP, GUARD_BOTTOM, GUARD_BOTH_READ, GUARD_BOTH_WRITE };
enum guard_alignment {
    GUARD_NATURAL, /* what an object of that size can need: 16, or less for less than 16 bytes */
    GUARD_ALWAYS,  /* 16 */
    GUARD_EXACT,   /* none: the last byte of a block is the last one of a page */
};

struct guard_config {
    enum guard_type type;
    enum guard_alignment alignment;
    uint64_t red, empty, reserved; /* bytes, multiples of OS_PAGE; red at least one page */
};
extern struct guard_config guard;

/* Reads "<type>,<red>,<empty>,<reserved>,<alignment>" over the defaults, any field may be empty.
 * 0 on a mistake, which *error then tells in one sentence. A type chosen at random is told in
 * *chosen. */
int guard_parse(const char *text, size_t length, struct guard_config *into, int *chosen,
                struct text *error);

/* Before the heap is reserved. */
void guard_init(const struct guard_config *config);

/* ---- more about a block than its record says ---- */

enum guard_flag {
    GUARD_PERMANENT = 1, /* freeing it is an error */
    GUARD_MOVED = 2,     /* freed by realloc */
    GUARD_READ_ONLY = 4,
    GUARD_CLOSED = 8,   /* the program wants no access to it */
    GUARD_TOUCHED = 16, /* by an access that was seen, or filled by us */
};

struct guard_extra {
    uint64_t use_address, use_pc, use_time; /* the last access that was seen; 0: none */
    uint32_t flags;
    uint32_t open;         /* accesses that are going on, see trap.h */
    uint64_t packed;       /* where the bytes are, see pager.h; 0: resident */
    uint32_t older, newer; /* the list of resident blocks */
    uint32_t listed, unused[3];
};
_Static_assert(sizeof(struct guard_extra) == GUARD_EXTRA_SIZE, "guard extra");

static inline struct guard_extra *guard_extra(struct block place) {
    return (struct guard_extra *)(meta_begin(place.region) + GUARD_EXTRA_OFFSET) + place.slot;
}

static inline int guard_is_paged(struct block place) {
    return block_in_heap(place) && place.region >= guard_first_shift;
}

/* The pages that a block of a guarded slot lies in; empty for one of size 0. */
struct guard_span {
    uintptr_t begin, end;
};
struct guard_span guard_span(struct block place);

/* The block that an address in a guarded or plain slot is about; none: a wild pointer. */
struct block guard_judge(uintptr_t address);

/* Some block has options: extras of plain slots count from now on. */
extern int guard_options_used;

/* ---- what free and realloc ask ---- */

/* Reports damage beside a live block, and a permanent one. 0: it must not be freed. */
int guard_may_free(struct block place, const struct frame *frame);
/* Where the program asks for the block that this thread allocates next. */
extern __thread const struct frame *guard_frame;
static inline void guard_asks(const struct frame *frame) { guard_frame = frame; }

/* The block is about to be copied to another one, and freed by realloc. */
void guard_moves(struct block place, uintptr_t to);
/* It has been copied. */
void guard_moved(uintptr_t to);

/* ---- the breakpoint ---- */

/* A block; 0: none. Named as debuggers know it. */
extern uintptr_t whence_alloc_break_if_touched;
void whence_alloc_break(const char *what, const void *block);

static inline void guard_touched(const char *what, uintptr_t block) {
    if (__builtin_expect(block && block == whence_alloc_break_if_touched, 0))
        whence_alloc_break(what, (const void *)block);
}

/* ---- after each allocation ---- */

/* A block of no bytes has been allocated: the finding empty-allocation. */
void guard_empty(uintptr_t begin, uint8_t family, const struct frame *frame);

static inline void guard_made(uintptr_t begin, const struct heap_request *request,
                              const struct frame *frame) {
    guard_touched("allocated", begin);
    if (__builtin_expect(!request->size, 0)) guard_empty(begin, request->family, frame);
}

#endif
