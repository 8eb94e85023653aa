#include "area.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <sys/syscall.h>

static uint8_t *counters;
static size_t count;
static uint8_t class_of[256];

static void make_classes(void) {
    static const uint8_t bounds[][2] = {
#define BOUNDS(first, last) {first, last},
        WH_FUZZ_CLASSES(BOUNDS)
#undef BOUNDS
    };
    for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (unsigned n = bounds[i][0]; n <= bounds[i][1]; n++) class_of[n] = (uint8_t)(1u << i);
}

int area_map(int file, uintptr_t begin, size_t size) {
    if (size > WH_FUZZ_COUNTERS_MOST ||
        os_call(SYS_ftruncate, file, (long)(WH_FUZZ_AREA_SIZE + size), 0, 0, 0, 0) ||
        os_map_shared(WH_FUZZ_AREA_BASE, file, WH_FUZZ_AREA_SIZE, 0) ||
        (size && os_map_shared(begin, file, size, WH_FUZZ_AREA_SIZE)))
        return 0;
    make_classes();
    counters = (uint8_t *)begin, count = size;
    area_control()->counters = size;
    return 1;
}

int area_overlaps(uintptr_t begin, uintptr_t end) {
    return counters && begin < (uintptr_t)counters + count && end > (uintptr_t)counters;
}

/* Most counts are 0: so they are looked at and cleared in words. */
void area_clear(void) {
    uint64_t *words = (uint64_t *)counters;
    for (size_t i = 0; i < count / sizeof *words; i++)
        if (words[i]) words[i] = 0;
}

static uint64_t mixed(uint64_t hash, uint64_t more) {
    hash = (hash ^ more) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

unsigned area_look(uint64_t *hash, int keep) {
    const uint64_t *words = (const uint64_t *)counters;
    uint8_t *seen = AREA(WH_FUZZ_SEEN_AT);
    unsigned found = 0;
    *hash = 0;
    for (size_t i = 0; i < count / sizeof *words; i++) {
        if (!words[i]) continue;
        for (size_t at = i * sizeof *words; at < (i + 1) * sizeof *words; at++) {
            uint8_t class = class_of[counters[at]];
            if (!class) continue;
            *hash = mixed(*hash, at << 8 | class);
            if (class & ~seen[at]) found |= seen[at] ? WH_FUZZ_IS_OTHER : WH_FUZZ_IS_NEW;
            if (keep) seen[at] |= class;
        }
    }
    return found;
}
