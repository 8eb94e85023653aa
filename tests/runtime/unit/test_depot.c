/* modules: stacks/depot os/os */
#include "../../../runtime/stacks/depot.h"
#include "../../../runtime/os/os.h"
#include "unit.h"

#include <pthread.h>

static uint64_t hash_of(const uint64_t *pcs, unsigned count) {
    uint64_t hash = DEPOT_HASH_INIT;
    for (unsigned i = 0; i < count; i++) hash = depot_hash_step(hash, pcs[i]);
    return hash;
}

static uint32_t put(const uint64_t *pcs, unsigned count) {
    return depot_put(pcs, count, hash_of(pcs, count));
}

static void equal_stacks_have_one_handle(void) {
    uint64_t a[] = {1, 2, 3}, b[] = {1, 2, 4}, out[3];
    CHECK_EQUAL(put(a, 0), 0);
    uint32_t first = put(a, 3);
    CHECK(first != 0);
    CHECK_EQUAL(put(a, 3), first);
    CHECK(put(a, 2) != first);
    CHECK(put(b, 3) != first);
    CHECK_EQUAL(depot_get(first, out, 3), 3);
    CHECK(memcmp(out, a, sizeof a) == 0);
    CHECK_EQUAL(depot_get(first, out, 2), 2);
    CHECK_EQUAL(depot_get(0, out, 3), 0);
}

/* Two stacks with one hash must not become one. */
static void a_collision_is_told_apart(void) {
    uint64_t a[] = {10}, b[] = {11};
    uint32_t first = depot_put(a, 1, 42), second = depot_put(b, 1, 42);
    CHECK(first != second);
    CHECK_EQUAL(depot_put(a, 1, 42), first);
    CHECK_EQUAL(depot_put(b, 1, 42), second);
}

static void numbers_between_handles_are_none(void) {
    uint64_t pcs[] = {0x555555550001, 0x555555550002, 0x7ffff7000003, 4, 5, 6, 7, 8};
    uint32_t first = put(pcs, 8), second = put(pcs, 7);
    CHECK(depot_has(first) && depot_has(second) && second > first + 1);
    for (uint32_t between = first + 1; between < second; between++) CHECK(!depot_has(between));
    CHECK(!depot_has(second + (second - first)));
    CHECK(!depot_has(0) && !depot_has(1) && !depot_has(UINT32_MAX));
}

static void cache_agrees_with_depot(void) {
    static struct depot_cache cache;
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 5000; i++) {
            uint64_t pcs[] = {i, i * i, 7};
            CHECK_EQUAL(depot_put_cached(&cache, pcs, 3, hash_of(pcs, 3)), put(pcs, 3));
        }
}

#define STACKS 20000u
static uint32_t handles[2][STACKS];

static void *insert_all(void *mine) {
    uint32_t *out = mine;
    for (uint64_t i = 0; i < STACKS; i++) {
        uint64_t pcs[] = {0x400000 + i, 0x500000, i ^ 3};
        out[i] = put(pcs, 3);
    }
    return NULL;
}

static void threads_get_the_same_handles(void) {
    pthread_t threads[2];
    os_threaded = 1;
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&threads[i], NULL, insert_all, handles[i]));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (uint64_t i = 0; i < STACKS; i++) {
        uint64_t out[3];
        CHECK_EQUAL(handles[0][i], handles[1][i]);
        CHECK_EQUAL(depot_get(handles[0][i], out, 3), 3);
        CHECK_EQUAL(out[0], 0x400000 + i);
    }
}

int main(void) {
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(depot_init(&begin, &size), 0);
    equal_stacks_have_one_handle();
    a_collision_is_told_apart();
    numbers_between_handles_are_none();
    cache_agrees_with_depot();
    threads_get_the_same_handles();
    return 0;
}
