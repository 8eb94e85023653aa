/* modules: interface/chunks blocks/block blocks/blocks blocks/claims planes/planes os/os */
#include "../../../runtime/interface/chunks.h"
#include "../../../runtime/process/thread.h"
#include "unit.h"

__thread struct thread thread_self;
void rt_note(int *said, const char *sentence) { *said = sentence != NULL; }
void *rt_private(size_t size) {
    static char room[8 << 20];
    static size_t used;
    used += size;
    return used <= sizeof room ? room + used - size : NULL;
}

static int count(struct chunk *chunk, void *data) {
    CHECK(chunk->size == chunk->begin % 100);
    ++*(uint64_t *)data;
    return 0;
}

static int remove_odd(struct chunk *chunk, void *data) {
    (void)data;
    return chunk->begin / 16 % 2;
}

static uint64_t in_pool(uintptr_t pool) {
    uint64_t n = 0;
    chunks_each(pool, count, &n);
    return n;
}

int main(void) {
    enum { CHUNKS = 3000, FIRST = 0x1000 };
    CHECK_EQUAL(chunks_remove(1, FIRST).begin, 0); /* before anything was added */
    for (uintptr_t i = 0; i < CHUNKS; i++) {
        uintptr_t begin = FIRST + 16 * i;
        CHECK(chunks_add((struct chunk){.begin = begin, .size = begin % 100, .pool = i % 3}));
    }
    for (uintptr_t pool = 0; pool < 3; pool++) CHECK_EQUAL(in_pool(pool), CHUNKS / 3);
    CHECK_EQUAL(chunks_remove(2, FIRST).begin, 0); /* in pool 0 */
    CHECK_EQUAL(chunks_remove(0, FIRST).size, FIRST % 100);
    CHECK_EQUAL(chunks_remove(0, FIRST).begin, 0);
    CHECK_EQUAL(in_pool(0), CHUNKS / 3 - 1);
    chunks_each(1, remove_odd, NULL);
    CHECK_EQUAL(in_pool(1), CHUNKS / 6);
    for (int round = 0; round < 100000; round++) { /* what is removed does not fill the table */
        CHECK(chunks_add((struct chunk){.begin = 0x900000, .size = 0x900000 % 100, .pool = 7}));
        CHECK_EQUAL(chunks_remove(7, 0x900000).begin, 0x900000);
    }
    CHECK_EQUAL(in_pool(2), CHUNKS / 3);
    return 0;
}
