/* How to get from a frame to its caller, by program counter.
 *
 * Code with frame pointers needs no tables. Libraries mostly have none: there
 * the call frame information (.eh_frame) says where the caller's frame lies.
 * A rule is worked out once for each program counter and then kept in a table,
 * so that a walk costs one look-up a frame. No lock is taken.
 */
#ifndef WHENCE_STACKS_CFI_H
#define WHENCE_STACKS_CFI_H

#include <stdint.h>

/* A rule, packed: canonical frame address and saved frame pointer in words.
 *     frame address = stack pointer + 8 * CFI_FRAME(rule)
 *     return address at frame address - 8
 *     caller's frame pointer at frame address - 8 * CFI_SAVED(rule), 0: unchanged */
typedef uint32_t cfi_rule;
#define CFI_FRAME(rule) ((rule) & 0x1ff)
#define CFI_SAVED(rule) ((rule) >> 9)
/* Values of CFI_FRAME that are no distance. */
#define CFI_POINTER 0x1ffu /* the code uses its frame pointer, or nothing is known */
#define CFI_END 0x1feu     /* the outermost frame, or one that is beyond us */
#define CFI_SIGNAL 0x1fdu  /* where a signal's handler returns to: the stack has all registers */

#define CFI_TABLE_SIZE 8192u                        /* a power of two */
extern volatile uint64_t cfi_table[CFI_TABLE_SIZE]; /* program counter << 17 | rule */

/* The rule from the second place where it may stand, or worked out and kept. */
cfi_rule cfi_learn(uint64_t pc);

/* Forgets everything: code was unloaded, other code may take its place. */
void cfi_forget(void);

static inline volatile uint64_t *cfi_entry(uint64_t pc) {
    return &cfi_table[(pc ^ pc >> 13) & (CFI_TABLE_SIZE - 1)];
}

/* The rule at a return address: of the call before it. */
static inline cfi_rule cfi_at(uint64_t pc) {
    uint64_t entry = *cfi_entry(pc);
    return __builtin_expect(entry >> 17 == pc, 1) ? (cfi_rule)(entry & 0x1ffff) : cfi_learn(pc);
}

/* The rule at an exact program counter, not kept. */
cfi_rule cfi_exact(uint64_t pc);

#endif
