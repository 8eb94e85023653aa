#include "untouched.h"
#include "../os/mem.h"
#include "../os/os.h"

/* proc_pid_pagemap(5): eight bytes a page. */
#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)

static int pagemap = -1;

/* The file of a process whose first thread has ended is empty. */
void untouched_open(void) { pagemap = os_open("/proc/thread-self/pagemap", OS_OPEN_READ); }

void untouched_close(void) {
    if (pagemap >= 0) os_close(pagemap);
    pagemap = -1;
}

static int read_states(uintptr_t begin, unsigned pages, uint64_t *entries,
                       unsigned char *resident) {
    size_t size = pages * sizeof *entries;
    uint64_t offset = begin / OS_PAGE * sizeof *entries;
    return pagemap >= 0 && os_read_at(pagemap, entries, size, offset) == (long)size &&
           os_resident(begin, pages * OS_PAGE, resident) == 0;
}

void untouched_find(uintptr_t begin, unsigned pages, uint8_t *untouched) {
    uint64_t entries[UNTOUCHED_MOST];
    unsigned char resident[UNTOUCHED_MOST];
    int known = read_states(begin, pages, entries, resident);
    for (unsigned i = 0; i < pages; i++)
        untouched[i] = known && !(entries[i] & (PRESENT | SWAPPED)) && !(resident[i] & 1);
}
