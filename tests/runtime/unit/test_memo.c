/* modules: stacks/memo stacks/depot stacks/unwind stacks/cfi os/os os/text */
#include "../../../runtime/stacks/memo.h"
#include "unit.h"

/* A stack made by hand: frames at given words. */
static uintptr_t words[256] __attribute__((aligned(16)));
static struct stack_bounds bounds;
static struct depot_cache depot;
static struct memo memo;

static struct frame *frame(unsigned at) { return (struct frame *)(void *)&words[at]; }

static void put(unsigned at, const void *up, uintptr_t pc) {
    words[at] = (uintptr_t)up;
    words[at + 1] = pc;
}

static uint32_t learn(const struct frame *from) {
    return memo_learn(&memo, &depot, from, &bounds, WH_ALLOC_FRAMES);
}

static uint32_t walked(const struct frame *from) {
    uint64_t pcs[WH_ALLOC_FRAMES], hash;
    unsigned count = unwind_frames(from, &bounds, pcs, WH_ALLOC_FRAMES, &hash, NULL);
    return depot_put(pcs, count, hash);
}

static void fresh(void) { memset(&memo, 0, sizeof memo); }

/* `count` frames of four words each. */
static void chain(unsigned count) {
    for (unsigned i = 0; i < count; i++)
        put(4 * i, i + 1 < count ? frame(4 * (i + 1)) : NULL, 0x401000 + 16 * i);
}

static void what_was_learned_is_found(void) {
    uint32_t handle = 0;
    fresh();
    for (unsigned count = 1; count <= WH_ALLOC_FRAMES + 6; count++) {
        chain(count);
        /* A frame too many is not looked at, and changes nothing. */
        CHECK_EQUAL(memo_find(&memo, frame(0)), count > WH_ALLOC_FRAMES + 1 ? handle : 0);
        handle = learn(frame(0));
        CHECK(handle != 0);
        CHECK_EQUAL(handle, walked(frame(0)));
        CHECK_EQUAL(memo_find(&memo, frame(0)), handle);
    }
}

static void any_word_that_differs_is_another_stack(void) {
    for (unsigned count = 2; count <= 16; count++) {
        chain(count);
        fresh();
        CHECK(learn(frame(0)) != 0);
        for (unsigned i = 0; i < count; i++)
            for (unsigned word = 0; word < 2; word++) {
                uintptr_t kept = words[4 * i + word];
                words[4 * i + word] = kept + 8;
                CHECK_EQUAL(memo_find(&memo, frame(0)), 0);
                words[4 * i + word] = kept;
            }
        CHECK(memo_find(&memo, frame(0)) != 0);
    }
}

static void words_between_frames_do_not_matter(void) {
    fresh();
    chain(9);
    uint32_t handle = learn(frame(0));
    for (unsigned i = 0; i < 9; i++) words[4 * i + 2] = words[4 * i + 3] = 77 + i;
    CHECK_EQUAL(memo_find(&memo, frame(0)), handle);
}

static void two_stacks_of_one_frame_are_both_kept(void) {
    uint32_t handles[2];
    fresh();
    for (unsigned i = 0; i < 2; i++) {
        chain(6);
        words[4 * 3 + 1] += i;
        handles[i] = learn(frame(0));
    }
    CHECK(handles[0] != handles[1]);
    for (unsigned i = 0; i < 2; i++) {
        chain(6);
        words[4 * 3 + 1] += i;
        CHECK_EQUAL(memo_find(&memo, frame(0)), handles[i]);
    }
}

static void the_word_that_ended_the_walk_matters(void) {
    fresh();
    chain(4);
    words[4 * 2 + 1] = 1; /* no code: the stack ends before */
    uint32_t handle = learn(frame(0));
    CHECK_EQUAL(handle, walked(frame(0)));
    words[4 * 2 + 1] = 0x402000;
    CHECK_EQUAL(memo_find(&memo, frame(0)), 0);
    CHECK(learn(frame(0)) != handle);
}

static void unloaded_code_makes_it_forget(void) {
    fresh();
    chain(5);
    CHECK(learn(frame(0)) != 0);
    memo_forget();
    CHECK_EQUAL(memo_find(&memo, frame(0)), 0);
    CHECK(learn(frame(0)) != 0);
    CHECK(memo_find(&memo, frame(0)) != 0);
    memo_clear(&memo);
    CHECK_EQUAL(memo_find(&memo, frame(0)), 0);
}

/* Code without frame pointers: its rules are put into the table. */
static void tell(uint64_t pc, unsigned size, unsigned saved) {
    *cfi_entry(pc) = pc << 17 | size | saved << 9;
}

static void code_without_frame_pointers_is_learned_too(void) {
    uint64_t code[] = {0x501000, 0x502000, 0x503000};
    memset(words, 0, sizeof words);
    put(0, (void *)0x1234, code[0]); /* the frame pointer is any number */
    tell(code[0], 4, 3); /* words 2 to 5: a saved register at 3, the return address at 5 */
    words[3] = 0x4321;
    words[5] = code[1];
    tell(code[1], 2, 0); /* words 6 and 7 */
    words[7] = code[2];
    *cfi_entry(code[2]) = code[2] << 17 | CFI_END;
    fresh();
    uint32_t handle = learn(frame(0));
    uint64_t pcs[4];
    CHECK_EQUAL(depot_get(handle, pcs, 4), 3);
    CHECK(pcs[0] == code[0] && pcs[1] == code[1] && pcs[2] == code[2]);
    CHECK_EQUAL(memo_find(&memo, frame(0)), handle);
    const unsigned read[] = {3, 5, 7}, unread[] = {2, 4, 6, 8};
    for (unsigned i = 0; i < 3; i++) {
        words[read[i]]++;
        CHECK_EQUAL(memo_find(&memo, frame(0)), 0);
        words[read[i]]--;
    }
    for (unsigned i = 0; i < 4; i++) words[unread[i]]++;
    CHECK_EQUAL(memo_find(&memo, frame(0)), handle);
}

static void walks_on_another_stack_are_not_kept(void) {
    struct stack_bounds saved = bounds;
    fresh();
    chain(3);
    bounds = (struct stack_bounds){0, 0};
    uint64_t pcs[4];
    CHECK_EQUAL(depot_get(learn(frame(0)), pcs, 4), 3);
    CHECK_EQUAL(memo_find(&memo, frame(0)), 0);
    bounds = saved;
}

int main(void) {
    uintptr_t begin;
    size_t size;
    bounds = (struct stack_bounds){(uintptr_t)words, (uintptr_t)words + sizeof words};
    CHECK_EQUAL(depot_init(&begin, &size), 0);
    what_was_learned_is_found();
    any_word_that_differs_is_another_stack();
    words_between_frames_do_not_matter();
    two_stacks_of_one_frame_are_both_kept();
    the_word_that_ended_the_walk_matters();
    unloaded_code_makes_it_forget();
    code_without_frame_pointers_is_learned_too();
    walks_on_another_stack_are_not_kept();
    return 0;
}
