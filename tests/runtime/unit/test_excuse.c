/* modules: leak/excuse alloc/heap alloc/loader alloc/pages alloc/slots blocks/block blocks/blocks blocks/claims planes/planes os/os */
#include "../../../runtime/leak/excuse.h"
#include "memory.h"

/* What excuse.c needs of the rest of the runtime. */
__thread struct thread thread_self;
int rt_ready = 1;
void port_start(void) {}
void *rt_private(size_t size) { return calloc(1, size); }
void rt_note(int *said, const char *sentence) {
    *said = 1;
    fprintf(stderr, "%s\n", sentence);
}

static struct heap_cache cache;

static uintptr_t new(uint16_t thread) {
    struct heap_request request = {32, 16, 0, thread, WH_FAMILY_MALLOC, 1, 0, 0};
    return heap_new(&cache, &request);
}

static uintptr_t excused[10000];
static size_t excused_count;

static void note(struct block block) { excused[excused_count++] = block_begin(block); }

static int is_excused(uintptr_t block) {
    excused_count = 0;
    excuse_blocks(note);
    for (size_t i = 0; i < excused_count; i++)
        if (excused[i] == block) return 1;
    return 0;
}

static void spans_are_of_one_thread_and_nest(void) {
    static struct thread one = {.number = 1}, two = {.number = 2};
    uintptr_t before = new(1);
    excuse_begin(&one);
    uintptr_t inside = new(1), other = new(2);
    excuse_begin(&one);
    excuse_end(&one);
    uintptr_t still = new(1);
    excuse_end(&one);
    uintptr_t after = new(1);
    excuse_end(&one); /* one too many */
    excuse_begin(&two);
    uintptr_t open = new(2);
    CHECK(!is_excused(before));
    CHECK(is_excused(inside));
    CHECK(!is_excused(other));
    CHECK(is_excused(still));
    CHECK(!is_excused(after));
    CHECK(is_excused(open));
    excuse_end(&two);
    CHECK(heap_release(&cache, heap_block(inside), 0, 1));
    CHECK(!is_excused(inside));
}

static void many_spans(void) {
    static struct thread thread = {.number = 3};
    uintptr_t inside[3000], outside[3000];
    for (int i = 0; i < 3000; i++) {
        excuse_begin(&thread);
        inside[i] = new(3);
        excuse_end(&thread);
        outside[i] = new(3);
    }
    for (int i = 0; i < 3000; i += 371) {
        CHECK(is_excused(inside[i]));
        CHECK(!is_excused(outside[i]));
    }
}

static void single_blocks(void) {
    uintptr_t block = new(4), other = new(4);
    CHECK(excuse_block(block + 31));
    CHECK(!excuse_block(block + 32));
    CHECK(!excuse_block((uintptr_t)&block));
    CHECK(is_excused(block));
    CHECK(!is_excused(other));
    CHECK(heap_release(&cache, heap_block(block), 0, 4));
    CHECK(!excuse_block(block));
    CHECK(!is_excused(block));
}

static uintptr_t seen_begin, seen_end;
static int seen;

static void see(uintptr_t begin, uintptr_t end) {
    seen_begin = begin;
    seen_end = end;
    seen++;
}

static void regions_are_counted(void) {
    excuse_add_root(0x5000, 64);
    excuse_add_root(0x5000, 64);
    CHECK(!excuse_remove_root(0x5000, 65));
    CHECK(excuse_remove_root(0x5000, 64));
    excuse_roots(see);
    CHECK(seen == 1 && seen_begin == 0x5000 && seen_end == 0x5040);
    CHECK(excuse_remove_root(0x5000, 64));
    CHECK(!excuse_remove_root(0x5000, 64));
    excuse_roots(see);
    CHECK_EQUAL(seen, 1);
}

int main(void) {
    begin_memory();
    spans_are_of_one_thread_and_nest();
    many_spans();
    single_blocks();
    regions_are_counted();
    return 0;
}
