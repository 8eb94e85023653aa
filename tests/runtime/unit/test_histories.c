/* modules: rt/histories os/os */
#include "../../../runtime/rt/histories.h"
#include "../../../runtime/findings/rules.h"
#include "../../../runtime/process/thread.h"
#include "unit.h"

/* Of function 0, calls by the first argument; of function 1, returns by result and second one. */
static const struct whence_history histories[] = {{0, 0, 1 << 1}, {1, 1, 1 << 0 | 1 << 2}};
static const struct whence_rule_set set = {
    .abi = WHENCE_RULES_ABI, .function_count = 2, .history_count = 2, .histories = histories};

const struct whence_rule_set *rules_current = &set;
__thread struct thread thread_self;
int rt_ready = 1;
static unsigned notes;

void port_start(void) {}
void rt_note(int *noted, const char *sentence) {
    (void)sentence;
    notes += !*noted;
    *noted = 1;
}
uint32_t port_stack(struct thread *thread, const struct frame *frame) {
    (void)thread;
    return (uint32_t)(uintptr_t)frame;
}
void *rt_private(size_t size) { return calloc(1, size); }

static uint64_t now;

static void happen(uint64_t function, uint64_t result, uint64_t first, uint64_t second) {
    struct whence_past event = {++now, {result, first, second}};
    histories_add(function, function, &event, (const struct frame *)(uintptr_t)now);
}

static uint64_t time_of(uint64_t history, uint64_t result, uint64_t first, uint64_t second) {
    struct whence_past key = {0, {result, first, second}}, found = {0};
    uint64_t answer = __whence_recall(history, &key, &found);
    return answer == WHENCE_RECALL_LOST ? UINT64_MAX : answer ? found.time : 0;
}

static void the_last_event_of_each_value_is_found(void) {
    CHECK_EQUAL(time_of(0, 0, 5, 0), 0);
    happen(0, 0, 5, 1);
    happen(0, 0, 6, 2);
    happen(0, 0, 5, 3);
    CHECK_EQUAL(time_of(0, 9, 5, 9), 3);
    CHECK_EQUAL(time_of(0, 0, 6, 0), 2);
    CHECK_EQUAL(time_of(0, 0, 7, 0), 0);
    happen(1, 0, 1, 8);
    CHECK_EQUAL(time_of(1, 0, 77, 8), 4);
    CHECK_EQUAL(time_of(1, 1, 77, 8), 0);
}

static void all_values_are_gone_through_with_their_stacks(void) {
    struct whence_past found;
    uint64_t cursor = 0, values = 0, stacks = 0;
    while (__whence_next_recalled(&cursor, 0, &found) == 1) {
        values = values * 10 + found.words[1];
        stacks = stacks * 10 + thread_self.recalled_stack;
    }
    CHECK_EQUAL(values, 56);
    CHECK_EQUAL(stacks, 32);
}

static void a_handler_does_not_wait_for_its_own_thread(void) {
    struct whence_past key = {0};
    thread_self.recalling = 1;
    CHECK_EQUAL(__whence_recall(1, &key, &key), WHENCE_RECALL_LOST);
    happen(1, 3, 3, 3);
    thread_self.recalling = 0;
    CHECK_EQUAL(time_of(1, 3, 3, 3), UINT64_MAX); /* perhaps it happened */
    CHECK_EQUAL(time_of(1, 0, 77, 8), 4);
}

static void a_full_table_says_so_and_keeps_what_it_has(void) {
    const uint64_t most = 1 << 20;
    for (uint64_t value = 100; value < 100 + most; value++) happen(0, 0, value, 0);
    CHECK_EQUAL(notes, 1);
    CHECK_EQUAL(time_of(0, 0, 99 + most, 0), UINT64_MAX);
    CHECK_EQUAL(time_of(0, 0, 5, 0), 3);
    happen(0, 0, 5, 0);
    CHECK_EQUAL(time_of(0, 0, 5, 0), now);
    CHECK(time_of(0, 0, 97 + most, 0) < now);
    CHECK(time_of(0, 0, 97 + most, 0) > 0);
}

int main(void) {
    the_last_event_of_each_value_is_found();
    all_values_are_gone_through_with_their_stacks();
    a_handler_does_not_wait_for_its_own_thread();
    a_full_table_says_so_and_keeps_what_it_has();
    return 0;
}
