#include "pages.h"
#include "../os/os.h"

#define KEPT_MOST 64u

/* Oldest first, from `first` on; size 0: given back or used again since. */
static struct {
    uintptr_t slot, begin;
    uint64_t size;
} kept[KEPT_MOST];
static unsigned first, count;
static uint64_t total;
static struct os_lock lock;

/* Large ones may have been moved, and are mappings of their own. */
#define MOVED_LEAST (256ull << 10)

static void give_back(uintptr_t begin, uint64_t size) {
    if (size < MOVED_LEAST || os_renew(begin, size, OS_READ_WRITE) < 0) os_discard(begin, size);
}

static void drop_oldest(void) {
    if (kept[first].size) give_back(kept[first].begin, kept[first].size);
    total -= kept[first].size;
    first = (first + 1) % KEPT_MOST;
    count--;
}

void pages_freed(uintptr_t slot, uintptr_t begin, uint64_t size) {
    if (size > PAGES_KEPT) {
        give_back(begin, size);
        return;
    }
    os_lock(&lock);
    while (count == KEPT_MOST || (count && total + size > PAGES_KEPT)) drop_oldest();
    unsigned at = (first + count++) % KEPT_MOST;
    kept[at].slot = slot;
    kept[at].begin = begin;
    kept[at].size = size;
    total += size;
    os_unlock(&lock);
}

static void forget(unsigned at) {
    total -= kept[at].size;
    kept[at].size = 0;
    kept[at].slot = 0;
}

void pages_reused(uintptr_t slot) {
    os_lock(&lock);
    for (unsigned i = 0; i < count; i++)
        if (kept[(first + i) % KEPT_MOST].slot == slot) forget((first + i) % KEPT_MOST);
    os_unlock(&lock);
}

void pages_claimed(uintptr_t begin, uintptr_t end) {
    os_lock(&lock);
    for (unsigned i = 0; i < count; i++) {
        unsigned at = (first + i) % KEPT_MOST;
        if (kept[at].begin < end && kept[at].begin + kept[at].size > begin) forget(at);
    }
    os_unlock(&lock);
}

void pages_lock(void) { os_lock(&lock); }

void pages_unlock(void) { os_unlock(&lock); }
