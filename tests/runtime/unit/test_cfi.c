/* modules: stacks/unwind stacks/cfi os/os os/text */
#include "../../../runtime/stacks/unwind.h"
#include "unit.h"

#define NOINLINE __attribute__((noinline))

static uint64_t pcs[32];
static unsigned count;
static struct stack_bounds bounds;

NOINLINE static int compare(const void *a, const void *b) {
    uint64_t hash;
    count = unwind_frames(__builtin_frame_address(0), &bounds, pcs, 32, &hash, NULL);
    return *(const int *)a - *(const int *)b;
}

NOINLINE static int sort(void) {
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, compare);
    return numbers[0];
}

static int has_pc_of(int (*function)(void)) {
    for (unsigned i = 0; i < count; i++)
        if (pcs[i] - (uint64_t)(uintptr_t)function < 512) return 1;
    return 0;
}

/* The C library has no frame pointers; its caller is found all the same. */
static void callers_are_found_through_the_c_library(void) {
    CHECK_EQUAL(sort(), 1);
    CHECK(has_pc_of(sort));
    unsigned first = count;
    CHECK_EQUAL(sort(), 1); /* now from the table */
    CHECK(has_pc_of(sort));
    CHECK_EQUAL(count, first);
}

static void our_own_code_has_frame_pointers(void) {
    CHECK_EQUAL(sort(), 1);
    uint64_t inside = 0;
    for (unsigned i = 0; i < count && !inside; i++)
        if (pcs[i] - (uint64_t)(uintptr_t)sort < 512) inside = pcs[i];
    CHECK_EQUAL(CFI_FRAME(cfi_at(inside)), CFI_POINTER);
    /* At the first instruction the return address lies on top of the stack. */
    CHECK_EQUAL(CFI_FRAME(cfi_exact((uint64_t)(uintptr_t)sort)), 1);
}

static void addresses_without_code_count_as_code_with_frame_pointers(void) {
    CHECK_EQUAL(CFI_FRAME(cfi_at(0x123456)), CFI_POINTER);
    CHECK_EQUAL(CFI_FRAME(cfi_at((uint64_t)(uintptr_t)&pcs)), CFI_POINTER);
}

static void the_table_forgets(void) {
    cfi_at(0x123456);
    CHECK_EQUAL(*cfi_entry(0x123456) >> 17, 0x123456);
    cfi_forget();
    CHECK_EQUAL(*cfi_entry(0x123456), 0);
}

/* Two program counters in one place of the table. */
static void neighbours_do_not_drive_each_other_out(void) {
    uint64_t a = 0x100001, b = a ^ (1ull << 13) ^ 1;
    CHECK(cfi_entry(a) == cfi_entry(b));
    cfi_at(a);
    cfi_at(b);
    CHECK_EQUAL(*cfi_entry(b) >> 17, b);
    CHECK_EQUAL(cfi_table[(cfi_entry(a) - cfi_table) ^ 1] >> 17, a);
    CHECK_EQUAL(cfi_at(a), cfi_at(b));
}

int main(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    bounds = (struct stack_bounds){here - (1 << 20), here + 64};
    callers_are_found_through_the_c_library();
    our_own_code_has_frame_pointers();
    addresses_without_code_count_as_code_with_frame_pointers();
    the_table_forgets();
    neighbours_do_not_drive_each_other_out();
    return 0;
}
