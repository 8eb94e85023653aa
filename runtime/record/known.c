#include "known.h"
#include "../os/os.h"
#include "whence_abi.h"

/* The last word of each page carries nothing, to test the page with. */
#define PAGE_ENTRIES (OS_PAGE / sizeof(uint64_t) - 1)
#define ENTRIES (WH_RECORD_TABLE_SIZE / OS_PAGE * PAGE_ENTRIES)
#define PROBES 64u

static uintptr_t entry_at(const struct known *known, uint64_t index) {
    uintptr_t page = known->file + known->capacity + index / PAGE_ENTRIES * OS_PAGE;
    return page + index % PAGE_ENTRIES * sizeof(uint64_t);
}

static uint64_t first_index(uint32_t type, uint64_t word) {
    uint64_t hash = (word ^ type) * 0x9e3779b97f4a7c15ull;
    return (hash >> 32) % ENTRIES;
}

static int can_write(uintptr_t entry) { return os_writable((entry | (OS_PAGE - 1)) - 7); }

static int is_record(const struct known *known, uint64_t offset, uint32_t type, uint64_t word) {
    if (offset < WH_RECORD_HEADER_SIZE || offset % 8 || offset > known->capacity - 16) return 0;
    uintptr_t at = known->file + offset;
    if (!os_readable(at) || !os_readable(at + 8)) return 0;
    return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE) == type &&
           *(const uint64_t *)(at + 8) == word;
}

uint64_t known_find(const struct known *known, uint32_t type, uint64_t word) {
    if (!known->capacity) return 0;
    for (uint64_t first = first_index(type, word), i = 0; i < PROBES; i++) {
        uintptr_t entry = entry_at(known, (first + i) % ENTRIES);
        if (!os_readable(entry)) return 0;
        uint64_t offset = __atomic_load_n((const uint64_t *)entry, __ATOMIC_ACQUIRE);
        if (!offset) return 0;
        if (is_record(known, offset, type, word)) return offset;
    }
    return 0;
}

void known_add(const struct known *known, uint32_t type, uint64_t word, uint64_t offset) {
    if (!known->capacity) return;
    for (uint64_t first = first_index(type, word), i = 0; i < PROBES; i++) {
        uint64_t nothing = 0;
        uintptr_t entry = entry_at(known, (first + i) % ENTRIES);
        if (!can_write(entry)) return;
        if (__atomic_compare_exchange_n((uint64_t *)entry, &nothing, offset, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
}
