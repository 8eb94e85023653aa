#include "mapped.h"
#include "../os/mem.h"
#include "../os/os.h"

#define MOST_MAPPED 512u

/* In place of a begin, which is that of a page. */
enum { FREE, CHANGING };

static struct entry {
    struct mapped what;
    uintptr_t begin, end; /* of the file's bytes */
    uintptr_t twin;
} entries[MOST_MAPPED];

static uint32_t used; /* entries behind it have never been */

static uintptr_t begin_of(const struct entry *entry) {
    return __atomic_load_n(&entry->begin, __ATOMIC_ACQUIRE);
}

static void publish(struct entry *entry, uintptr_t begin) {
    __atomic_store_n(&entry->begin, begin, __ATOMIC_RELEASE);
}

/* No lock: a signal handler may map a file while the program does. */
static int take(struct entry *entry, uintptr_t begin) {
    return __atomic_compare_exchange_n(&entry->begin, &begin, CHANGING, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static void count(uint32_t index) {
    uint32_t before = __atomic_load_n(&used, __ATOMIC_RELAXED);
    while (before <= index && !__atomic_compare_exchange_n(&used, &before, index + 1, 0,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
}

static int add(const struct entry *wanted) {
    for (uint32_t i = 0; i < MOST_MAPPED; i++) {
        struct entry *entry = &entries[i];
        if (begin_of(entry) != FREE || !take(entry, FREE)) continue;
        entry->what = wanted->what;
        entry->end = wanted->end;
        entry->twin = wanted->twin;
        count(i);
        publish(entry, wanted->begin);
        return 1;
    }
    return 0;
}

static uint64_t pages(uint64_t size) { return wh_round_up(size, OS_PAGE); }

void mapped_add(struct mapped what, int file, uintptr_t begin, uint64_t size, uint64_t left) {
    if (size > left) size = left;
    uintptr_t twin = size ? os_map_to_read(file, pages(size), what.offset) : 0;
    struct entry wanted = {.what = what, .begin = begin, .end = begin + size, .twin = twin};
    if (twin && !add(&wanted)) os_unmap(twin, pages(size));
}

/* The entry without its part before an address; it is changing. */
static struct entry behind(const struct entry *entry, uintptr_t begin, uintptr_t at) {
    struct entry rest = *entry;
    rest.begin = at;
    rest.twin += at - begin;
    rest.what.offset += at - begin;
    return rest;
}

static void cut_entry(struct entry *entry, uintptr_t begin, uintptr_t from, uintptr_t to) {
    struct entry first = *entry, last = behind(entry, begin, to);
    if (from < begin) from = begin;
    if (to > first.end) to = first.end;
    os_unmap(first.twin + (from - begin), pages(to - from));
    int has_last = to < first.end;
    if (from > begin) {
        entry->end = from;
        publish(entry, begin);
        if (has_last && !add(&last)) os_unmap(last.twin, pages(last.end - last.begin));
    } else if (has_last) {
        entry->what = last.what;
        entry->twin = last.twin;
        publish(entry, last.begin);
    } else {
        publish(entry, FREE);
    }
}

void mapped_cut(uintptr_t begin, uint64_t size) {
    uint32_t most = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
    uintptr_t end = begin + pages(size);
    for (uint32_t i = 0; i < most; i++) {
        uintptr_t at = begin_of(&entries[i]);
        if (at <= CHANGING || at >= end || entries[i].end <= begin || !take(&entries[i], at))
            continue;
        cut_entry(&entries[i], at, begin, end);
    }
}

uint64_t mapped_find(uintptr_t address, uint64_t size, struct mapped *found) {
    uint32_t most = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < most; i++) {
        uintptr_t begin = begin_of(&entries[i]);
        if (begin <= CHANGING || address < begin || address >= entries[i].end) continue;
        if (size > entries[i].end - address) size = entries[i].end - address;
        *found = entries[i].what;
        found->offset += address - begin;
        uintptr_t twin = entries[i].twin + (address - begin);
        return wh_same_bytes(address, twin, size) ? size : 0;
    }
    return 0;
}
