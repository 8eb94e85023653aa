/* modules: stacks/unwind stacks/cfi os/os os/text */
#include "../../../runtime/stacks/unwind.h"
#include "unit.h"

#include <sys/mman.h>

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

/* Two pages, of which the second one can be closed; nothing of them is the thread's own stack. */
static uintptr_t *map_pages(int both) {
    static uintptr_t *pages;
    if (!pages)
        pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK_EQUAL(mprotect((char *)pages + 4096, 4096, both ? PROT_READ | PROT_WRITE : PROT_NONE), 0);
    return pages;
}

static struct frame *put_at(uintptr_t *at, const void *up, uintptr_t pc) {
    at[0] = (uintptr_t)up;
    at[1] = pc;
    return (struct frame *)(void *)at;
}

static unsigned walk_from(const struct frame *first, unsigned max, uint64_t *pcs) {
    uint64_t hash, expected = DEPOT_HASH_INIT;
    unsigned count = unwind_frames(first, &bounds, pcs, max, &hash, NULL);
    for (unsigned i = 0; i < count; i++) expected = depot_hash_step(expected, pcs[i]);
    CHECK_EQUAL(hash, expected);
    return count;
}

static void another_stack_is_walked_as_far_as_it_is_mapped(void) {
    uint64_t pcs[8];
    uintptr_t *pages = map_pages(1);
    const struct frame *first = put_at(pages + 4, pages + 600, 0x401000);
    put_at(pages + 600, pages + 1000, 0x402000);
    put_at(pages + 1000, NULL, 0x403000);
    CHECK_EQUAL(walk_from(first, 8, pcs), 3);
    CHECK(pcs[0] == 0x401000 && pcs[1] == 0x402000 && pcs[2] == 0x403000);
    CHECK_EQUAL(walk_from(first, 2, pcs), 2);
    map_pages(0);
    CHECK_EQUAL(walk_from(first, 8, pcs), 1);
    put_at(pages + 4, pages + 511, 0x401000); /* half of the frame */
    CHECK_EQUAL(walk_from(first, 8, pcs), 1);
    put_at(pages + 4, pages + 510, 0x401000);
    put_at(pages + 510, pages + 600, 0x402000);
    CHECK_EQUAL(walk_from(first, 8, pcs), 2);
}

static void bad_links_end_the_walk_on_another_stack(void) {
    uint64_t pcs[8];
    uintptr_t *pages = map_pages(1);
    const struct frame *first = put_at(pages + 4, pages + 8, 0x401000);
    const void *const bad[] = {NULL,
                               pages + 8,
                               pages + 2,
                               (const char *)(pages + 16) + 4,
                               (void *)(uintptr_t)8,
                               (void *)UINTPTR_MAX,
                               (void *)(UINTPTR_MAX & ~(uintptr_t)7),
                               (const char *)pages + (1 << 24)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_at(pages + 8, bad[i], 0x402000);
        CHECK_EQUAL(walk_from(first, 8, pcs), 2);
    }
    put_at(pages + 8, pages + 16, (uintptr_t)(pages + 6)); /* no code */
    CHECK_EQUAL(walk_from(first, 8, pcs), 1);
}

static void a_walk_goes_on_where_the_threads_own_stack_called(void) {
    uint64_t pcs[8];
    uintptr_t *pages = map_pages(1);
    const struct frame *first = put_at(pages + 4, pages + 8, 0x401000);
    put_at(pages + 8, frame(4), 0x402000);
    put(4, frame(10), 0x403000);
    put(10, (void *)bounds.high, 0x404000);
    CHECK_EQUAL(walk_from(first, 8, pcs), 4);
    CHECK(pcs[2] == 0x403000 && pcs[3] == 0x404000);
}

static void a_trap_without_a_stack_has_one_frame(void) {
    uintptr_t *pages = map_pages(0);
    struct walk walk = {0x401000, (uintptr_t)(pages + 512), (const struct frame *)(pages + 514)};
    struct stack_bounds other = {0, 0};
    CHECK(!unwind_step_anywhere(&walk, CFI_POINTER, &bounds, &other));
    map_pages(1);
    put_at(pages + 514, NULL, 0x402000);
    CHECK(unwind_step_anywhere(&walk, CFI_POINTER, &bounds, &other));
    CHECK_EQUAL(walk.pc, 0x402000);
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
    another_stack_is_walked_as_far_as_it_is_mapped();
    bad_links_end_the_walk_on_another_stack();
    a_walk_goes_on_where_the_threads_own_stack_called();
    a_trap_without_a_stack_has_one_frame();
    the_hash_names_the_stack();
    return 0;
}
