/* modules: leak/mark alloc/heap alloc/slots blocks/blocks planes/planes os/os */
#include "../../../runtime/leak/mark.h"
#include "../../../runtime/alloc/heap.h"
#include "../../../runtime/planes/planes.h"
#include "unit.h"

static struct heap_cache cache;

static uintptr_t *new(uint64_t size) {
    struct heap_request request = {size, 16, 0, 0, WH_FAMILY_MALLOC, 1};
    return (uintptr_t *)heap_new(&cache, &request);
}

static uint8_t marks(const uintptr_t *block) { return *mark_of(block_place((uintptr_t)block)); }

static void search(const uintptr_t *roots, size_t count) {
    CHECK(mark_init());
    mark_range((uintptr_t)roots, (uintptr_t)(roots + count), MARK_REACHED);
    mark_indirect();
}

static void a_chain_is_followed_from_its_root(void) {
    uintptr_t *first = new(16), *second = new(100), *third = new(3000), *lost = new(16);
    first[1] = (uintptr_t)second;
    second[5] = (uintptr_t)third + 2999; /* into the block */
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

static void freed_blocks_hold_nothing(void) {
    uintptr_t *holder = new(16), *held = new(16);
    holder[0] = (uintptr_t)held;
    CHECK(heap_release(&cache, block_place((uintptr_t)holder), 0, 0));
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

int main(void) {
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(planes_init(&begin, &size), 0);
    CHECK_EQUAL(heap_init(1 << 20, 8, &begin, &size), 0);
    CHECK_EQUAL(blocks_init(&begin, &size), 0);
    a_chain_is_followed_from_its_root();
    what_only_the_system_holds_is_told_apart();
    a_pointer_past_the_end_does_not_hold();
    freed_blocks_hold_nothing();
    lost_structures_have_one_head();
    a_head_found_late_takes_over();
    deep_lists_need_no_stack();
    return 0;
}
