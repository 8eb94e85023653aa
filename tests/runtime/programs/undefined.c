/* Undefined bytes of blocks. This program's own accesses are not seen, as those of a library. */
#define _GNU_SOURCE
#include "common.h"
#include "values_rules.h"
#include <malloc.h>
#include <sys/mman.h>

static uint64_t bits(const void *at, uint64_t size) {
    return __whence_value_load((uint64_t)at, size).bits;
}

static uint64_t origin(const void *at) { return __whence_value_load((uint64_t)at, 1).origin; }

#define ALL (~0ull)

static void new_blocks(void) {
    char *a = malloc(21), *b = aligned_alloc(64, 24), *c = calloc(3, 7), *d = NULL;
    REQUIRE(!posix_memalign((void **)&d, 4096, 8));
    REQUIRE(bits(a, 8) == ALL && bits(a + 13, 8) == ALL && bits(b + 16, 8) == ALL);
    REQUIRE(bits(d, 8) == ALL && !bits(c, 8) && !bits(c + 16, 5));
    REQUIRE(origin(a) && origin(a) == origin(a + 20) && origin(a) != origin(b));
    memset(a, 0, 21); /* not seen, but its traces are */
    REQUIRE(!bits(a, 8) && !bits(a + 13, 8));
    free(a);
    free(b);
    free(c);
    free(d);
    for (int i = 0; i < 3000; i++) { /* slots that were used before */
        char *fresh = i % 2 ? malloc(40) : calloc(1, 40);
        REQUIRE(bits(fresh + 32, 8) == (i % 2 ? ALL : 0));
        free(fresh);
    }
}

static void grown_blocks(void) {
    char *a = malloc(16);
    uint64_t from = origin(a);
    memset(a, 'a', 8);
    a = realloc(a, 400);
    REQUIRE(!bits(a, 8) && bits(a + 8, 8) == ALL && origin(a + 8) == from);
    REQUIRE(bits(a + 16, 8) == ALL && bits(a + 392, 8) == ALL && origin(a + 16) != from);
    char *big = malloc(600 << 10);
    memset(big, 1, 600 << 10);
    big = realloc(big, 700 << 10);
    REQUIRE(!bits(big + (600 << 10) - 8, 8) && bits(big + (600 << 10), 8) == ALL);
    free(realloc(big, 8));
}

static void only_the_begin_of_large_blocks(void) {
    char *a = malloc(3 << 20);
    REQUIRE(bits(a, 8) == ALL && bits(a + (1 << 20) - 8, 8) == ALL && !bits(a + (1 << 20), 8));
    free(a);
}

static void blocks_of_libraries(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    REQUIRE(stream && fputs("abc", stream) >= 0 && !fclose(stream));
    for (size_t i = 0; i < malloc_usable_size(text); i++) REQUIRE(!bits(text + i, 1));
}

static void mapped_memory(void) {
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    __whence_value_undefine((uint64_t)page, 4096, 0);
    REQUIRE(bits(page, 8) == ALL);
    REQUIRE(page == mmap(page, 4096, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    REQUIRE(*(volatile char *)(uintptr_t)((uintptr_t)page / 8 + WH_DEFINED_OFFSET) == 0);
}

NOINLINE static char *make(void) { return malloc(10); }

static void use(void) {
    char *a = make(), *copy = malloc(16);
    __whence_value_copy((uint64_t)copy, (uint64_t)a, 8);
    memcpy(copy, a, 8);
    free(a);
    printf("%p\n", (void *)(uintptr_t)make);
    struct whence_bits found = __whence_value_load((uint64_t)copy, 4);
    __whence_use(7, found.bits, found.origin, WH_USE_BRANCH);
    __whence_use(7, 0, 0, WH_USE_BRANCH);
}

int main(int argc, char **argv) {
    new_blocks();
    grown_blocks();
    only_the_begin_of_large_blocks();
    blocks_of_libraries();
    mapped_memory();
    if (IS("use")) use();
    return 0;
}
