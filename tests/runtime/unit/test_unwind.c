/* modules: stacks/unwind stacks/cfi */
#include "../../../runtime/stacks/unwind.h"
#include "unit.h"

/* A stack made by hand: frames at given words. */
static uintptr_t words[64] __attribute__((aligned(16)));
static struct stack_bounds bounds;

static struct frame *frame(unsigned at) { return (struct frame *)(void *)&words[at]; }

static void put(unsigned at, const void *up, uintptr_t pc) {
    words[at] = (uintptr_t)up;
    words[at + 1] = pc;
}

static unsigned walk(unsigned max, uint64_t *pcs) {
    uint64_t hash;
    return unwind_frames(frame(0), &bounds, pcs, max, &hash, NULL);
}

static void a_whole_chain_is_walked(void) {
    uint64_t pcs[8];
    put(0, frame(4), 0x401000);
    put(4, frame(10), 0x402000);
    put(10, NULL, 0x403000);
    CHECK_EQUAL(walk(8, pcs), 3);
    CHECK(pcs[0] == 0x401000 && pcs[1] == 0x402000 && pcs[2] == 0x403000);
    CHECK_EQUAL(walk(2, pcs), 2);
    CHECK_EQUAL(walk(1, pcs), 1);
}

static void bad_links_end_the_walk(void) {
    uint64_t pcs[8];
    const void *const bad[] = {NULL,
                               frame(4),                    /* itself */
                               frame(2),                    /* downward */
                               (const char *)frame(10) + 4, /* not aligned */
                               (void *)(uintptr_t)8,        /* nowhere */
                               (void *)UINTPTR_MAX,
                               (void *)bounds.high,        /* outside */
                               (void *)(bounds.high - 8)}; /* half outside */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(0, frame(4), 0x401000);
        put(4, bad[i], 0x402000);
        CHECK_EQUAL(walk(8, pcs), 2);
    }
}

static void values_that_are_no_code_end_the_walk(void) {
    uint64_t pcs[8];
    const uintptr_t bad[] = {
        0,          1,          WH_NULL_PAGE_SIZE - 1, WH_HEAP_BASE + 64, (uintptr_t)&words[8],
        1ull << 47, UINTPTR_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(0, frame(4), 0x401000);
        put(4, frame(10), bad[i]);
        CHECK_EQUAL(walk(8, pcs), 1);
    }
}

static void on_a_foreign_stack_only_the_caller_is_known(void) {
    uint64_t pcs[8];
    put(0, frame(4), 0x401000);
    put(4, NULL, 0x402000);
    struct stack_bounds saved = bounds;
    bounds = (struct stack_bounds){0, 0};
    CHECK_EQUAL(walk(8, pcs), 1);
    bounds = saved;
}

static void the_hash_names_the_stack(void) {
    uint64_t pcs[8], first, second;
    put(0, frame(4), 0x401000);
    put(4, NULL, 0x402000);
    unwind_frames(frame(0), &bounds, pcs, 8, &first, NULL);
    CHECK_EQUAL(first, depot_hash_step(depot_hash_step(DEPOT_HASH_INIT, 0x401000), 0x402000));
    put(4, NULL, 0x402001);
    unwind_frames(frame(0), &bounds, pcs, 8, &second, NULL);
    CHECK(first != second);
}

int main(void) {
    bounds = (struct stack_bounds){(uintptr_t)words, (uintptr_t)(words + 64)};
    a_whole_chain_is_walked();
    bad_links_end_the_walk();
    values_that_are_no_code_end_the_walk();
    on_a_foreign_stack_only_the_caller_is_known();
    the_hash_names_the_stack();
    return 0;
}
