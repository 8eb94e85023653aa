/* Undefined bytes of blocks. This program's own accesses are not seen, as those of a library. */
#define _GNU_SOURCE
#include "common.h"
#include "values_rules.h"
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
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

/* ---- frames that are left ---- */

static jmp_buf start;
static uintptr_t marked;

/* What the plane says of the frame, whose memory other calls have written since. */
static int is_marked(uintptr_t at) { return ((const uint8_t *)WH_DEFINED_OFFSET)[at >> 3] != 0; }

static __attribute__((noinline)) void leave(int depth, int jumps) {
    volatile uint64_t bytes[64];
    for (int i = 0; i < 64; i++) {
        bytes[i] = 0;
        __whence_value_store((uint64_t)&bytes[i], 8, 0xffff, 0);
    }
    marked = (uintptr_t)bytes;
    REQUIRE(bits((void *)marked, 8) == 0xffff);
    if (depth) leave(depth - 1, jumps);
    if (jumps == 1) longjmp(start, 1);
    if (jumps == 2) siglongjmp(start, 1);
    REQUIRE(bytes[0] == 0);
}

static void frames_that_are_left(void) {
    for (int jumps = 1; jumps <= 2; jumps++) {
        volatile uint64_t own = 0;
        __whence_value_store((uint64_t)&own, 8, 0xff, 0);
        if (setjmp(start) == 0) leave(3, jumps);
        REQUIRE(is_marked(marked));
        __whence_value_landed();
        for (unsigned i = 0; i < 64; i++) REQUIRE(!is_marked(marked + 8 * i));
        REQUIRE(bits((void *)(uintptr_t)&own, 8) == 0xff);
        __whence_value_define((uint64_t)&own, 8);
    }
}

/* ---- variable arguments ---- */

static __attribute__((noinline)) void variable_(uint64_t expected, int number, ...) {
    struct whence_variadic variadic;
    va_list list;
    __whence_value_keep(&variadic, (uint64_t)variable_);
    __whence_value_keep(&variadic, expected ? (uint64_t)variable_ + 1 : 0); /* taken already */
    REQUIRE(!variadic.kept.meant);
    __whence_values.memory.callee = (uint64_t)variable_;
    __whence_value_keep(&variadic, (uint64_t)variable_);
    va_start(list, number);
    __whence_value_started(&variadic, (uint64_t)list);
    const char *registers = list->reg_save_area, *stack = list->overflow_arg_area;
    REQUIRE(bits(registers + 24, 8) == expected && !bits(registers + 16, 8));
    REQUIRE(bits(stack + 8, 8) == expected && !bits(stack, 8));
    va_end(list);
    __whence_value_ended(&variadic);
    REQUIRE(!bits(registers + 24, 8) && !bits(stack + 8, 8));
}

static void variable_arguments(void) {
    char *a = malloc(12);
    memset(a, 0, 8);
    __whence_value_define((uint64_t)a, 8);
    __whence_values.memory.stacked = 2;
    __whence_value_pass((uint64_t)a, 12, WHENCE_VARIABLE_REGISTERS);
    REQUIRE(!__whence_values.variable[2 * WHENCE_VARIABLE_REGISTERS]);
    REQUIRE(__whence_values.variable[2 * WHENCE_VARIABLE_REGISTERS + 2] == 0xffffffff);
    __whence_values.variable[2 * 3] = 0xffffffff;
    variable_(0xffffffff, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    free(a);
}

int main(int argc, char **argv) {
    new_blocks();
    grown_blocks();
    only_the_begin_of_large_blocks();
    blocks_of_libraries();
    mapped_memory();
    frames_that_are_left();
    variable_arguments();
    if (IS("use")) use();
    return 0;
}
