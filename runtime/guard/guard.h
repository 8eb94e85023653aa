/* Guarded blocks: each ends (top) or begins (bottom) at a page that cannot be accessed, as in
 * Redzal, the red zone allocator of Mach (Kivinen 1992).
 *
 *     slot    | red zone | data pages | red zone | empty zone … |
 *     top     |          |   |  block |          |
 *     bottom  |          |block  |    |          |
 *
 * Slots are those of blocks.h, so arithmetic leads from an address to the block at or near it. A
 * fault in a red zone or in closed data pages is reported for the slot's block; a fault in an empty
 * zone is a wild pointer. The bytes of the data pages beside the block contain a pattern, which is
 * verified when the block is freed.
 *
 * Slots below guard_first_shift are *plain*: they begin with the block, the pattern follows, and
 * all of it is accessible. Plain mode uses them for every block; the other modes use them for small
 * blocks when the system grants no further mappings. The C library allocates what does not fit
 * either (lend.h).
 *
 * Invariants:
 *   - in a guarded slot, only the pages of a live block are accessible;
 *   - a freed block loses its contents in a guarded slot, and contains a pattern in a plain one;
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

/* Reads "<type>,<red>,<empty>,<reserved>,<alignment>"; an empty field keeps its default. 0 on a
 * mistake, which *error then describes in one sentence. *chosen: whether the type was chosen at
 * random. */
int guard_parse(const char *text, size_t length, struct guard_config *into, int *chosen,
                struct text *error);

/* Must be called before the heap is reserved. */
void guard_init(const struct guard_config *config);

/* ---- the second record of a block ---- */

enum guard_flag {
    GUARD_PERMANENT = 1, /* freeing it is an error */
    GUARD_MOVED = 2,     /* freed by realloc */
    GUARD_READ_ONLY = 4,
    GUARD_CLOSED = 8,   /* the program has forbidden all accesses to it */
    GUARD_TOUCHED = 16, /* accessed by an observed instruction, or filled by the runtime */
};

struct guard_extra {
    uint64_t use_address, use_pc, use_time; /* of the last observed access; 0: none */
    uint32_t flags;
    uint32_t open;         /* accesses in progress, see trap.h */
    uint64_t packed;       /* the address of its packed bytes, see pager.h; 0: resident */
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

/* The pages of a block in a guarded slot; empty for a block of size 0. */
struct guard_span {
    uintptr_t begin, end;
};
struct guard_span guard_span(struct block place);

/* The block that an access to this address of the heap is reported for; none: a wild pointer. */
struct block guard_judge(uintptr_t address);

/* Whether any block has options; until then, second records of plain slots are not valid. */
extern int guard_options_used;

/* ---- free and realloc ---- */

/* Before a free: reports damage beside the block, and a permanent block. 0: it must not be freed.
 */
int guard_may_free(struct block place, const struct frame *frame);
/* The frame of the program's call that allocates, for findings that heap_new makes. */
extern __thread const struct frame *guard_frame;
static inline void guard_set_frame(const struct frame *frame) { guard_frame = frame; }

/* Before realloc copies a block to another one and frees it. */
void guard_moves(struct block place, uintptr_t to);
/* After the copy. */
void guard_moved(uintptr_t to);

/* ---- the breakpoint ---- */

/* The block whose use calls whence_alloc_break; 0: none. A debugger sets it by this name. */
extern uintptr_t whence_alloc_break_if_touched;
void whence_alloc_break(const char *what, const void *block);

static inline void guard_touched(const char *what, uintptr_t block) {
    if (__builtin_expect(block && block == whence_alloc_break_if_touched, 0))
        whence_alloc_break(what, (const void *)block);
}

/* ---- after each allocation ---- */

/* Reports the finding empty-allocation for a new block of no bytes. */
void guard_empty(uintptr_t begin, uint8_t family, const struct frame *frame);

#endif
