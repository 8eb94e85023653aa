/* modules: leak/mark leak/untouched alloc/heap alloc/loader alloc/pages alloc/slots blocks/block blocks/blocks blocks/claims planes/planes os/os */
#include "../../../runtime/leak/mark.h"
#include "../../../runtime/leak/untouched.h"
#include "../../../runtime/os/mem.h"
#include "memory.h"

uintptr_t port_first_bad(uintptr_t address, uint64_t size) { return address + size; }

static struct heap_cache cache;

static uintptr_t *new(uint64_t size) {
    struct heap_request request = {size, 16, 0, 0, WH_FAMILY_MALLOC, 1, 0, 0};
    return (uintptr_t *)heap_new(&cache, &request);
}

static uint8_t marks(const uintptr_t *block) { return *mark_of(heap_block((uintptr_t)block)); }

static void search(const uintptr_t *roots, size_t count) {
    CHECK(mark_init());
    mark_range((uintptr_t)roots, (uintptr_t)(roots + count), MARK_REACHED);
    mark_weak();
    mark_indirect();
}

static uintptr_t *head_of(const uintptr_t *block) {
    return (uintptr_t *)block_begin(mark_head(block_at((uintptr_t)block)));
}

static uint8_t held(const uintptr_t *block) { return marks(block) & MARK_POINTED; }

static void a_chain_is_followed_from_its_root(void) {
    uintptr_t *first = new(16), *second = new(100), *third = new(3000), *lost = new(16);
    first[1] = (uintptr_t)second;
    second[5] = (uintptr_t)third;
    const uintptr_t roots[] = {1, (uintptr_t)first, 0xdeadbeef};
    search(roots, 3);
    CHECK_EQUAL(marks(first), MARK_REACHED);
    CHECK_EQUAL(marks(second), MARK_REACHED);
    CHECK_EQUAL(marks(third), MARK_REACHED);
    CHECK_EQUAL(marks(lost), 0);
    mark_deinit();
}

static void what_only_the_system_holds_is_told_apart(void) {
    uintptr_t *shared = new(16), *own = new(16), *below = new(16);
    own[0] = (uintptr_t)below;
    below[0] = (uintptr_t)shared;
    const uintptr_t program[] = {(uintptr_t)shared}, system[] = {(uintptr_t)own};
    CHECK(mark_init());
    mark_range((uintptr_t)program, (uintptr_t)(program + 1), MARK_REACHED);
    mark_range((uintptr_t)system, (uintptr_t)(system + 1), MARK_SYSTEM);
    mark_weak();
    mark_indirect();
    CHECK_EQUAL(marks(shared), MARK_REACHED);
    CHECK_EQUAL(marks(own), MARK_SYSTEM);
    CHECK_EQUAL(marks(below), MARK_SYSTEM);
    mark_deinit();
}

static void a_pointer_past_the_end_does_not_hold(void) {
    uintptr_t *block = new(32), *empty = new(0);
    const uintptr_t roots[] = {(uintptr_t)block + 32, (uintptr_t)block - 1, (uintptr_t)empty};
    search(roots, 3);
    CHECK_EQUAL(marks(block), 0);
    CHECK_EQUAL(marks(empty), MARK_REACHED);
    mark_deinit();
}

static void what_only_middles_lead_to_is_possible(void) {
    uintptr_t *middle = new(100), *below = new(16), *both = new(16), *last = new(3000);
    middle[0] = (uintptr_t)below; /* a begin, but reached through a middle */
    below[1] = (uintptr_t)both;
    below[0] = (uintptr_t)last + 2999;
    const uintptr_t roots[] = {(uintptr_t)middle + 50, (uintptr_t)both};
    search(roots, 2);
    CHECK_EQUAL(held(middle), MARK_POSSIBLE);
    CHECK_EQUAL(held(below), MARK_POSSIBLE);
    CHECK_EQUAL(held(last), MARK_POSSIBLE);
    CHECK_EQUAL(held(both), MARK_REACHED);
    mark_deinit();
}

static void the_begin_counts_though_the_middle_was_seen_first(void) {
    uintptr_t *block = new(100), *holder = new(16);
    holder[0] = (uintptr_t)block;
    const uintptr_t roots[] = {(uintptr_t)block + 8, (uintptr_t)holder};
    search(roots, 2);
    CHECK_EQUAL(held(block), MARK_REACHED);
    mark_deinit();
}

static void a_library_s_pointer_to_the_begin_beats_the_program_s_to_the_middle(void) {
    uintptr_t *block = new(100), *other = new(100);
    const uintptr_t program[] = {(uintptr_t)block + 8, (uintptr_t)other + 8};
    const uintptr_t system[] = {(uintptr_t)block, (uintptr_t)other + 16};
    CHECK(mark_init());
    mark_range((uintptr_t)program, (uintptr_t)(program + 2), MARK_REACHED);
    mark_range((uintptr_t)system, (uintptr_t)(system + 2), MARK_SYSTEM);
    mark_weak();
    CHECK_EQUAL(held(block), MARK_SYSTEM);
    CHECK_EQUAL(held(other), MARK_POSSIBLE); /* the program's came first */
    mark_deinit();
}

static void a_count_in_front_is_no_middle(void) {
    uintptr_t *array = new(8 + 5 * 24), *none = new(8), *text = new(8 + 100), *other = new(8 + 100);
    array[0] = 5;
    none[0] = 0;
    text[0] = 100;
    other[0] = 101;
    const uintptr_t roots[] = {(uintptr_t)array + 8, (uintptr_t)none + 8, (uintptr_t)text + 8,
                               (uintptr_t)other + 8};
    search(roots, 4);
    CHECK_EQUAL(held(array), MARK_REACHED);
    CHECK_EQUAL(held(none), MARK_REACHED);
    CHECK_EQUAL(held(text), MARK_REACHED);
    CHECK_EQUAL(held(other), MARK_POSSIBLE);
    mark_deinit();
}

static int every_fifth(uintptr_t pointer, struct block place) {
    (void)place;
    return pointer % 5 == 0;
}

static void others_may_know_of_strong_pointers(void) {
    uintptr_t *block = new(100);
    uintptr_t pointer = (uintptr_t)block + 1;
    while (pointer % 5) pointer++;
    mark_is_strong = every_fifth;
    search(&pointer, 1);
    mark_is_strong = NULL;
    CHECK_EQUAL(held(block), MARK_REACHED);
    mark_deinit();
}

static void blocks_can_be_roots(void) {
    uintptr_t *block = new(100), *below = new(16);
    block[3] = (uintptr_t)below;
    CHECK(mark_init());
    mark_block((uintptr_t)block + 50, MARK_REACHED);
    mark_block((uintptr_t)below + 16, MARK_SYSTEM); /* in no block */
    CHECK_EQUAL(marks(block), MARK_REACHED);
    CHECK_EQUAL(marks(below), MARK_REACHED);
    mark_deinit();
}

static void slots_cut_later_have_no_marks(void) {
    CHECK(mark_init());
    uintptr_t *late[2000];
    for (int i = 0; i < 2000; i++) late[i] = new(16);
    CHECK(mark_of(heap_block((uintptr_t)late[1999])) == NULL);
    mark_range((uintptr_t)late, (uintptr_t)(late + 2000), MARK_REACHED);
    mark_deinit();
}

static void freed_blocks_hold_nothing(void) {
    uintptr_t *holder = new(16), *held = new(16);
    holder[0] = (uintptr_t)held;
    CHECK(heap_release(&cache, heap_block((uintptr_t)holder), 0, 0));
    const uintptr_t roots[] = {(uintptr_t)holder};
    search(roots, 1);
    CHECK_EQUAL(marks(held), 0);
    mark_deinit();
}

static void lost_structures_have_one_head(void) {
    uintptr_t *head = new(16), *child = new(16), *grandchild = new(16);
    head[0] = (uintptr_t)child;
    child[0] = (uintptr_t)grandchild;
    uintptr_t *cycle[3] = {new(16), new(16), new(16)};
    for (int i = 0; i < 3; i++) cycle[i][0] = (uintptr_t)cycle[(i + 1) % 3];
    uintptr_t *self = new(16);
    self[0] = (uintptr_t)self;
    search(NULL, 0);
    CHECK_EQUAL(marks(head), 0);
    CHECK_EQUAL(marks(child), MARK_INDIRECT);
    CHECK_EQUAL(marks(grandchild), MARK_INDIRECT);
    int direct = 0;
    for (int i = 0; i < 3; i++) direct += marks(cycle[i]) == 0;
    CHECK_EQUAL(direct, 1);
    CHECK_EQUAL(marks(self), 0);
    CHECK(head_of(grandchild) == head && head_of(child) == head && head_of(head) == head);
    CHECK(head_of(cycle[0]) == head_of(cycle[1]) && head_of(cycle[1]) == head_of(cycle[2]));
    mark_deinit();
}

static void heads_of_heads_hand_their_blocks_on(void) {
    uintptr_t *leaf = new(8), *inner = new(8), *outer = new(8); /* looked at in this order */
    inner[0] = (uintptr_t)leaf;
    outer[0] = (uintptr_t)inner;
    CHECK((uintptr_t)leaf < (uintptr_t)inner && (uintptr_t)inner < (uintptr_t)outer);
    search(NULL, 0);
    CHECK(head_of(leaf) == outer && head_of(inner) == outer && head_of(outer) == outer);
    mark_deinit();
}

static void a_head_found_late_takes_over(void) {
    uintptr_t *child = new(8), *head = new(5000); /* the child comes first in memory */
    head[600] = (uintptr_t)child;
    CHECK((uintptr_t)child < (uintptr_t)head);
    search(NULL, 0);
    CHECK_EQUAL(marks(child), MARK_INDIRECT);
    CHECK_EQUAL(marks(head), 0);
    mark_deinit();
}

static void deep_lists_need_no_stack(void) {
    uintptr_t *first = NULL;
    for (int i = 0; i < 200000; i++) {
        uintptr_t *node = new(16);
        node[0] = (uintptr_t)first;
        first = node;
    }
    const uintptr_t roots[] = {(uintptr_t)first};
    search(roots, 1);
    for (; first; first = (uintptr_t *)first[0]) CHECK_EQUAL(marks(first), MARK_REACHED);
    mark_deinit();
}

/* Of a large buffer only what was written is read, and all of that. */
static void large_ranges_are_read_where_they_were_written(void) {
    enum { PAGES = 4096, WRITTEN = 3000 };
    uintptr_t *held = new(64);
    uintptr_t buffer = os_map(PAGES * OS_PAGE);
    CHECK(buffer);
    *(uintptr_t *)(buffer + WRITTEN * OS_PAGE + 8) = (uintptr_t)held;
    CHECK(mark_init());
    untouched_open();
    uint64_t before = os_faults();
    mark_range(buffer, buffer + PAGES * OS_PAGE, MARK_REACHED);
    CHECK(os_faults() - before < PAGES / 8);
    untouched_close();
    CHECK(marks(held) & MARK_REACHED);
    mark_deinit();
    CHECK(mark_init()); /* closed: everything is read */
    mark_range(buffer, buffer + PAGES * OS_PAGE, MARK_REACHED);
    CHECK(marks(held) & MARK_REACHED);
    mark_deinit();
    os_unmap(buffer, PAGES * OS_PAGE);
}

int main(void) {
    begin_memory();
    a_chain_is_followed_from_its_root();
    what_only_the_system_holds_is_told_apart();
    a_pointer_past_the_end_does_not_hold();
    what_only_middles_lead_to_is_possible();
    the_begin_counts_though_the_middle_was_seen_first();
    a_library_s_pointer_to_the_begin_beats_the_program_s_to_the_middle();
    a_count_in_front_is_no_middle();
    others_may_know_of_strong_pointers();
    blocks_can_be_roots();
    slots_cut_later_have_no_marks();
    freed_blocks_hold_nothing();
    lost_structures_have_one_head();
    heads_of_heads_hand_their_blocks_on();
    a_head_found_late_takes_over();
    deep_lists_need_no_stack();
    large_ranges_are_read_where_they_were_written();
    return 0;
}
