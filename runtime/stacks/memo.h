/* Stacks that a thread met before, by what was read to walk them.
 *
 * A walk is determined by the frame it starts from and the words that it reads on the stack. If all
 * of them are as they were, so is the result: they are compared without following the chain, and
 * the processor does many at once. Otherwise the stack is walked, and what was read is kept.
 *
 * Not kept: what the call frame information says of the program counters. When code is unloaded,
 * memos are forgotten (memo_forget).
 */
#ifndef WHENCE_STACKS_MEMO_H
#define WHENCE_STACKS_MEMO_H

#include "../os/mem.h"
#include "unwind.h"

#define MEMO_ENTRIES 128u /* a power of two */
#define MEMO_STEP 4u      /* pairs are compared so many at once */
#define MEMO_PAIRS ((WH_ALLOC_FRAMES + MEMO_STEP - 1) / MEMO_STEP * MEMO_STEP)
#define MEMO_SINGLES (2 * WH_ALLOC_FRAMES)

typedef uint64_t memo_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Addresses are in words from the frame. */
struct memo_entry {
    uintptr_t frame;
    uint64_t pc; /* the return address in the frame; 0: empty */
    uint32_t handle;
    uint16_t pairs, singles;
    memo_pair pair[MEMO_PAIRS]; /* saved frame pointers and return addresses */
    uint32_t pair_at[MEMO_PAIRS];
    uint32_t single_at[MEMO_SINGLES]; /* of code without frame pointers */
    uint64_t single[MEMO_SINGLES];
};

/* Of one thread. Zero-initialised. */
struct memo {
    struct memo *next; /* of those that wait for a thread */
    uint32_t generation;
    uint32_t busy; /* in use: a signal handler, which may come in between, goes without */
    uint32_t turn; /* which of two entries goes when both are taken */
    struct memo_entry entries[MEMO_ENTRIES];
};

/* Goes up when what is kept is no longer to be believed. */
extern uint32_t memo_generation;

static inline void memo_forget(void) { __atomic_fetch_add(&memo_generation, 1, __ATOMIC_RELEASE); }

void memo_clear(struct memo *memo);

/* One of the two where the stack that ends in the frame may stand; the other is its neighbour. */
static inline unsigned memo_at(const struct frame *frame) {
    uint64_t hash = ((uintptr_t)frame ^ frame->return_address << 16) * 0x9e3779b97f4a7c15ull;
    return (unsigned)(hash >> 32) & (MEMO_ENTRIES - 1);
}

/* What was just pushed as two words is read as two: a load of both would wait for the stores. */
static inline uint64_t memo_fresh_differs(const uint64_t *words, const struct memo_entry *entry,
                                          unsigned i) {
    const uint64_t *pair = words + entry->pair_at[i];
    return (__atomic_load_n(pair, __ATOMIC_RELAXED) ^ entry->pair[i][0]) |
           (__atomic_load_n(pair + 1, __ATOMIC_RELAXED) ^ entry->pair[i][1]);
}

static inline memo_pair memo_differs(const uint64_t *words, const struct memo_entry *entry,
                                     unsigned i) {
    return *(const memo_pair *)(const void *)(words + entry->pair_at[i]) ^ entry->pair[i];
}

static inline int memo_holds(const struct memo_entry *entry, const struct frame *frame) {
    if (entry->frame != (uintptr_t)frame || entry->pc != frame->return_address) return 0;
    const uint64_t *words = (const uint64_t *)(const void *)frame;
    uint64_t other = memo_fresh_differs(words, entry, 0) | memo_fresh_differs(words, entry, 1) |
                     memo_fresh_differs(words, entry, 2) | memo_fresh_differs(words, entry, 3);
    memo_pair differ = {0, 0};
    unsigned pairs = entry->pairs, singles = entry->singles;
    for (unsigned i = MEMO_STEP; i < pairs; i += MEMO_STEP)
        differ |= (memo_differs(words, entry, i) | memo_differs(words, entry, i + 1)) |
                  (memo_differs(words, entry, i + 2) | memo_differs(words, entry, i + 3));
    for (unsigned i = 0; i < singles; i++) other |= words[entry->single_at[i]] ^ entry->single[i];
    return !(other | differ[0] | differ[1]);
}

/* The depot's handle of the stack that ends in the frame; 0 if it is not known. */
static inline uint32_t memo_find(struct memo *memo, const struct frame *frame) {
    if (WH_UNLIKELY(memo->generation != __atomic_load_n(&memo_generation, __ATOMIC_ACQUIRE)))
        return 0;
    unsigned at = memo_at(frame);
    const struct memo_entry *entry = &memo->entries[at], *other = &memo->entries[at ^ 1];
    if (WH_LIKELY(memo_holds(entry, frame))) return entry->handle;
    return memo_holds(other, frame) ? other->handle : 0;
}

/* The same, found by walking and kept. At most `max` frames. */
uint32_t memo_learn(struct memo *memo, struct depot_cache *depot, const struct frame *frame,
                    const struct stack_bounds *stack, unsigned max);

#endif
