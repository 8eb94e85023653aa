/* modules: process/contexts blocks/block blocks/blocks blocks/claims planes/planes os/os */
#include "../../../runtime/process/contexts.h"
#include "../../../runtime/os/os.h"
#include "../../../runtime/stacks/unwind.h"
#include "unit.h"

enum { SIZE = 1 << 16, WORDS = SIZE / 8, TOP = WORDS - 3 };

static uint64_t memory[2 * WORDS];

static int within(const uint64_t *sp, uintptr_t low, uintptr_t high) {
    struct stack_bounds stack = {0, 0};
    return contexts_stack_of((uintptr_t)sp, &stack) && stack.low == low && stack.high == high;
}

static int is_known(const uint64_t *sp) {
    struct stack_bounds stack;
    return contexts_stack_of((uintptr_t)sp, &stack);
}

static void made(uint64_t *begin, uint64_t *top) {
    *top = 0x1234;
    contexts_made((uintptr_t)begin, (uintptr_t)top);
}

static void knows_the_stack_of_a_context(void) {
    uintptr_t low = (uintptr_t)memory, high = (uintptr_t)&memory[TOP];
    CHECK(!is_known(&memory[100]));
    made(memory, &memory[TOP]);
    CHECK(within(&memory[0], low, high));
    CHECK(within(&memory[100], low, high));
    CHECK(within(&memory[TOP], low, high));
    CHECK(!is_known(&memory[TOP + 1]));
    CHECK(!is_known(memory - 1));
    CHECK(!is_known(&memory[WORDS + 100]));
}

static void forgets_what_is_overwritten(void) {
    memory[TOP] = 0;
    CHECK(!is_known(&memory[100]));
    made(memory, &memory[TOP]);
    CHECK(is_known(&memory[100]));
}

static void takes_what_all_agree_on(void) {
    made(memory, &memory[2 * WORDS - 3]);
    memory[TOP] = 0x1234;
    made(&memory[WORDS], &memory[2 * WORDS - 4]);
    CHECK(within(&memory[WORDS + 100], (uintptr_t)&memory[WORDS], (uintptr_t)&memory[2 * WORDS - 4]));
    CHECK(within(&memory[100], (uintptr_t)memory, (uintptr_t)&memory[2 * WORDS - 3]));
    made(memory, &memory[TOP]);
    CHECK(within(&memory[100], (uintptr_t)memory, (uintptr_t)&memory[TOP]));
}

static void does_not_touch_what_is_gone(void) {
    uint64_t *mapped = (uint64_t *)os_map(SIZE);
    made(mapped, &mapped[TOP]);
    CHECK(is_known(&mapped[100]));
    os_unmap((uintptr_t)mapped, SIZE);
    CHECK(!is_known(&mapped[100]));
}

static void refuses_an_empty_stack(void) {
    contexts_made((uintptr_t)&memory[200], (uintptr_t)&memory[200]);
    memory[TOP] = 0;
    CHECK(!is_known(&memory[200]));
}

int main(void) {
    knows_the_stack_of_a_context();
    forgets_what_is_overwritten();
    takes_what_all_agree_on();
    does_not_touch_what_is_gone();
    refuses_an_empty_stack();
    return 0;
}
