#include "details.h"
#include "../os/os.h"
#include "whence_abi.h"

#define PAGE_GRANULES (OS_PAGE / WH_GRANULE)
/* The pages that the table has room for. Neighbours stand side by side, in groups. */
#define ROWS (1ull << 22)
#define GROUP_SHIFT 3u
#define PROBES 64u

struct row {
    struct detail details[PAGE_GRANULES];
};

/* The number of each row's page, plus one; behind them the rows. */
static uint64_t *const pages = (uint64_t *)WH_DETAILS_BASE;
static struct row *const rows = (struct row *)(WH_DETAILS_BASE + ROWS * sizeof(uint64_t));
_Static_assert(ROWS * (sizeof(uint64_t) + sizeof(struct row)) <= WH_DETAILS_SIZE, "details");

long details_init(uintptr_t *begin, size_t *size) {
    *begin = WH_DETAILS_BASE;
    *size = WH_DETAILS_SIZE;
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

static uint64_t first_row(uint64_t page) {
    uint64_t hash = (page >> GROUP_SHIFT) * 0x9e3779b97f4a7c15ull;
    uint64_t group = (hash >> 32) % (ROWS >> GROUP_SHIFT);
    return group << GROUP_SHIFT | (page & ((1u << GROUP_SHIFT) - 1));
}

/* claims: whether a page without a row gets one. */
static struct detail *look_up(uintptr_t granule, int claims) {
    uint64_t page = granule >> OS_PAGE_SHIFT, key = page + 1, first = first_row(page);
    for (unsigned i = 0; i < PROBES; i++) {
        uint64_t row = (first + i) % ROWS, there = __atomic_load_n(&pages[row], __ATOMIC_RELAXED);
        if (!there && !claims) return NULL;
        if (!there && __atomic_compare_exchange_n(&pages[row], &there, key, 0, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED))
            there = key;
        if (there == key) return &rows[row].details[granule / WH_GRANULE % PAGE_GRANULES];
    }
    return NULL;
}

struct detail *details_at(uintptr_t granule) { return look_up(granule, 1); }

struct detail *details_find(uintptr_t granule) { return look_up(granule, 0); }
