/* The border between the runtime and generated detectors.
 *
 * A rule set is compiled (as LLVM IR, by whence.instrument) into a shared
 * object whose constructor calls __whence_register_rules. The runtime calls
 * back one evaluator per rule, on the cold path, when the inline filter of a
 * detection point cannot exclude the rule. Layouts are those of whence.abi.rules.
 */
#ifndef WHENCE_RULES_H
#define WHENCE_RULES_H

#include <stdint.h>
#include "whence_abi.h" /* the structs, and the bits of desc */

void __whence_register_rules(const struct whence_rule_set *set);

/* Local variables are blocks from here on: called before there are threads. */
void __whence_locals(void);

/* Code of the process copies frames of stacks to other places: local variables are no blocks. */
void __whence_frames_move(void);

/* The global variables of an image are blocks: called before its first constructor, once by each of
 * its modules, and behind its last destructor. The runtime sorts the table. */
void __whence_globals(struct whence_global *begin, struct whence_global *end);
void __whence_commons(struct whence_global *begin, struct whence_global *end);
void __whence_globals_end(struct whence_global *begin);

/* A thread-local variable of an image, by its description, its address in the calling thread, and
 * the begin of the zone before what the module defines: called before the image's first
 * constructor. */
void __whence_thread_variable(const struct whence_variable *what, uint64_t address, uint64_t room);
/* The same, called in any thread before code uses a variable whose room does not begin with the
 * room's own address. */
void __whence_thread_variable_here(const struct whence_variable *what, uint64_t address,
                                   uint64_t room);

/* ---- primitives that evaluators call ---- */

/* Block that holds (or is nearest to) the pointer; id 0 if none. */
void __whence_block_of(uint64_t pointer, struct whence_block *out);

/* Iterates over the blocks in a state (WH_BLOCK_LIVE or
 * WH_BLOCK_FREED, 0 for both); *cursor starts at 0. Returns 0 at the end.
 * Freed blocks are those whose record has not been reused. */
uint64_t __whence_next_block(uint64_t *cursor, uint64_t state, struct whence_block *out);

/* Looks a block up by id; out->id 0 if it is no longer in the table. */
void __whence_block_by_id(uint64_t id, struct whence_block *out);

/* 1 if a live pointer leads to the block: reachable from registers, stacks,
 * thread-local storage or globals through live blocks. The search runs once
 * per event. */
uint64_t __whence_pointed(uint64_t block_id);
/* The same, through pointers to the begins of blocks alone (and those pointers
 * into their middle that are known to hold them, see leak/mark.c). */
uint64_t __whence_pointed_begin(uint64_t block_id);
/* 1 if the block is not pointed to, but a pointer in another such block leads to it.
 * Of blocks that lead to each other in a ring, one is taken to lead to the others. */
uint64_t __whence_pointed_lost(uint64_t block_id);

/* WH_KIND_*: what kind of memory the address lies in. */
uint64_t __whence_kind(uint64_t address);

/* An event of calls or returns: the result of a return is word 0, the arguments follow. */
#define WHENCE_WORDS (1 + WHENCE_ARGUMENTS)
struct whence_past {
    uint64_t time; /* event clock */
    uint64_t words[WHENCE_WORDS];
};

/* The last call (ret=0) or return (ret=1) of a watched function in this thread; 0 if it never
 * happened. */
uint64_t __whence_last_event(uint64_t function, uint64_t ret, struct whence_past *out);

/* The last event of a history, in any thread, whose words that are told apart are those of `key`:
 * 1, or 0 if there is none, or WHENCE_RECALL_LOST if that is not known. */
uint64_t __whence_recall(uint64_t history, const struct whence_past *key, struct whence_past *out);
/* Iterates over the events of a history; *cursor starts at 0. Returns 0 at the end, or
 * WHENCE_RECALL_LOST if there may have been more. */
uint64_t __whence_next_recalled(uint64_t *cursor, uint64_t history, struct whence_past *out);

/* The aligned or unaligned word at an address, if all `width` (1,2,4,8) bytes
 * are addressable: returns 1 and stores it zero-extended; else returns 0. */
uint64_t __whence_load(uint64_t address, uint64_t width, uint64_t *value);

/* How many of the bytes the program has made inaccessible itself, of the first
 * megabyte, and of the block that holds the first byte. */
uint64_t __whence_closed(uint64_t address, uint64_t width);

/* The condition holds. `block` is the witness (may be NULL), `values` the
 * values to trace. */
void __whence_fire(const struct whence_event *event, uint64_t rule_index,
                   const struct whence_block *block, uint64_t value_count, const uint64_t *values);

/* ---- entry points of instrumented code ---- */

/* Cold path of an access check. Preserves every general register but r11
 * (LLVM's preserve_mostcc). desc: bits 0..23 size in bytes, WHENCE_DESC_* above. */
void __whence_access(uint64_t address, uint64_t root, uint32_t desc);

/* A step of arithmetic that may be undefined: its operands, extended to 64 bits as their type says.
 * Preserves registers likewise. desc: WHENCE_STEP_* above. */
void __whence_step(uint64_t a, uint64_t b, uint32_t desc);

/* The same of a step with two pointers, and what these were visibly derived from. The fourth
 * argument is for the entry itself. */
void __whence_pair(uint64_t a, uint64_t b, uint32_t desc, uint64_t unused, uint64_t root_a,
                   uint64_t root_b);

/* The range in which every access through a pointer derived from `root` is correct until a block is
 * freed: its live block, or the gap between the ranges that blocks govern. Empty if there is none.
 */
struct whence_bounds {
    uint64_t begin, size;
};
struct whence_bounds __whence_bounds(uint64_t root);
/* Whether the program has ever made bytes of its memory inaccessible: then no range is returned. */
extern uint32_t __whence_holes;

/* Access of a run of bytes, size not a small constant. Bits 25 and 26 of desc: the
 * program wrote the call of the library function WHENCE_DESC_MEMCPY etc. */
void __whence_range(uint64_t address, uint64_t size, uint64_t root, uint32_t desc);

/* The calling function has made a variable of so many bytes on its stack, with room for zones (see
 * whence.abi.zones). `chain` leads to such variables of the activation. */
void __whence_made(uint64_t begin, uint64_t size, const struct whence_variable *variable,
                   uint64_t *chain);
/* It is about to release what lies below `end`. */
void __whence_released(uint64_t end, uint64_t *chain);
/* The same at the end of a block or of the function, which ends the variables' scope. */
void __whence_ended(uint64_t end, uint64_t *chain);
/* A function that may return again by longjmp has returned to it. */
void __whence_jumped(uint64_t *chain);
/* The local variables of the calling thread whose functions have returned. */
struct whence_returned_ring {
    uint64_t count, reserved;
    struct whence_returned rows[WHENCE_RETURNED_ROWS];
    uint64_t sizes[WHENCE_RETURNED_ROWS]; /* of those whose size is not constant */
};
extern __thread struct whence_returned_ring __whence_returned;
/* The calling thread's gaps (see whence.abi.zones). Code that runs on its stack makes some while
 * its frame lies less than `span` above `low`. */
struct whence_gaps {
    uint64_t count, low, span;
    uint64_t turn; /* bytes by which the next gap is larger than the least one */
    struct whence_gap rows[WHENCE_GAPS_MOST];
};
extern __thread struct whence_gaps __whence_gaps;
/* How many bytes of its stack a function takes for variables of so many bytes, which then lie at
 * its stack pointer: so many, or with a gap above them. */
uint64_t __whence_gap(uint64_t size, const struct whence_variable *variable);
/* A variable is to be initialised before main; its initialisation begins. How many are left: read
 * by generated code. */
void __whence_pending(uint64_t begin, uint64_t size);
void __whence_initializes(uint64_t begin);
extern uint32_t __whence_pending_count;
/* The first `size` bytes of a block from operator new[] are an array cookie; 0: none are. */
void __whence_cookie(uint64_t block, uint64_t size);
/* delete[] reads the number of elements there, which is correct in a live array. */
void __whence_cookie_read(uint64_t address);

/* A pointer that was computed backwards from `root`, and may have left its block, is stored or
 * returned. */
void __whence_check_stray(uint64_t pointer, uint64_t root);

/* Handles one of Valgrind's client requests: its number and five arguments. Returns its result, or
 * `otherwise` for an unknown request. */
uint64_t __whence_client_request(const uint64_t *words, uint64_t otherwise);
/* close of a number that a loop counts, whether or not it is open. */
int __whence_close_each(int file);
/* `size` bytes are about to be copied between ranges that overlap without being equal. */
void __whence_copy(uint64_t to, uint64_t from, uint64_t size, uint32_t desc);

/* A watched function is entered or left. `set_function` is a function number
 * from __whence_watch, which maps a name to its number in the registered rule
 * set, or ~0 if no rule watches it. `callee` is 0 in the function itself; where checked code calls
 * a function that may have no IR, it is the address of that, and the number is ~0 if the code does
 * not know it. */
uint64_t __whence_watch(const char *name);
void __whence_call(uint64_t set_function, uint64_t callee, uint64_t result, uint64_t first,
                   uint64_t second, uint64_t third, uint64_t fourth, uint64_t fifth,
                   uint64_t sixth);
void __whence_ret(uint64_t set_function, uint64_t callee, uint64_t result, uint64_t first,
                  uint64_t second, uint64_t third, uint64_t fourth, uint64_t fifth, uint64_t sixth);
/* The address of a watched function: `checked` if it reports its calls itself. */
void __whence_watched(uint64_t set_function, uint64_t address, uint64_t checked);
/* What dlsym returned to checked code: it may be the address of a watched function. */
void __whence_looked_up(const char *name, uint64_t address);
/* A bit for each watched function without IR whose address is known: WATCHED_BIT of the address. */
extern uint64_t __whence_watched_bits;

#endif
