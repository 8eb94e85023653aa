/* modules: alloc/loader planes/planes os/os */
#include "../../../runtime/alloc/loader.h"
#include "../../../runtime/planes/planes.h"
#include "unit.h"

#include <link.h>

static int is_zero(const char *memory, size_t size) {
    while (size && !memory[size - 1]) size--;
    return !size;
}

static void finds_the_loader(void) {
    CHECK(loader_runs(is_zero)); /* not known yet */
    CHECK_EQUAL(loader_reserve(), 0);
    CHECK(!loader_runs(is_zero));
    CHECK(loader_runs((const void *)(_r_debug.r_ldbase + 0x1000)));
    CHECK(!loader_runs((const void *)(_r_debug.r_ldbase - 1)));
}

/* Whatever the size, the memory is aligned, zero, apart from other memory, and used again. */
static void serves_all_sizes(void) {
    static const size_t sizes[] = {0, 1, 16, 17, 1000, 4096, 65520, 300000, 5 << 20};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *first = loader_new(sizes[i]), *second = loader_new(sizes[i]);
        CHECK(first && second && (uintptr_t)first % 16 == 0 && (uintptr_t)second % 16 == 0);
        CHECK_EQUAL(loader_size((uintptr_t)first), sizes[i]);
        memset(first, 0xff, sizes[i]);
        CHECK(is_zero(second, sizes[i]));
        CHECK(loader_owns((uintptr_t)first) && loader_owns((uintptr_t)second));
        loader_free((uintptr_t)first);
        CHECK(!loader_owns((uintptr_t)first) && loader_owns((uintptr_t)second));
        char *again = loader_new(sizes[i]);
        CHECK(again == first && is_zero(again, sizes[i]));
        loader_free((uintptr_t)again);
        loader_free((uintptr_t)second);
    }
}

static void knows_what_it_owns(void) {
    char *memory = loader_new(100);
    memset(memory, 0xff, 100);
    for (unsigned i = 1; i < 100; i++) CHECK(!loader_owns((uintptr_t)memory + i));
    CHECK(!loader_owns(WH_LOADER_BASE));
    CHECK(!loader_owns(WH_LOADER_BASE - 1));
    CHECK(!loader_owns(WH_LOADER_BASE + WH_LOADER_SIZE));
    CHECK(!loader_owns(WH_LOADER_BASE + WH_LOADER_SIZE - 16));
    CHECK(!loader_owns((uintptr_t)&memory));
    CHECK(!loader_owns(0));
}

static void opens_zones_in_what_it_gets_back(void) {
    char *memory = loader_new(100);
    plane_set((uintptr_t)memory + 32, 32, WH_STATE_GLOBAL_RED_ZONE);
    loader_free((uintptr_t)memory);
    CHECK(plane_clean((uintptr_t)memory, 100));
}

static void refuses_what_does_not_fit(void) {
    CHECK(!loader_new(SIZE_MAX));
    CHECK(!loader_new(WH_LOADER_SIZE));
    CHECK(loader_new(1));
}

int main(void) {
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(planes_init(&begin, &size), 0);
    finds_the_loader();
    serves_all_sizes();
    knows_what_it_owns();
    opens_zones_in_what_it_gets_back();
    refuses_what_does_not_fit();
    return 0;
}
