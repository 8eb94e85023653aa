#include "ignored.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/thread.h"

struct range {
    uintptr_t begin, end;
};

/* Ranges that have no address in common, in no order. */
static struct range *ranges;
static uint64_t count, capacity;
static struct os_lock lock;

void ignored_lock(void) { os_lock(&lock); }

void ignored_unlock(void) { os_unlock(&lock); }

int ignored_any;

static int grow(void) {
    return os_enlarge((void **)&ranges, sizeof *ranges, count, &capacity, OS_PAGE / sizeof *ranges);
}

static void append(uintptr_t begin, uintptr_t end) {
    static int lost;
    if (begin >= end) return;
    if (count < capacity || grow())
        ranges[count++] = (struct range){begin, end};
    else
        rt_note(&lost,
                "no memory to note where the program wants no reports: accesses there may be "
                "reported");
}

/* What is left of ranges that lie there in part stays. */
static void cut(uintptr_t begin, uintptr_t end) {
    for (uint64_t i = count; i-- > 0;) {
        struct range range = ranges[i];
        if (range.end <= begin || end <= range.begin) continue;
        ranges[i] = ranges[--count];
        append(range.begin, begin);
        append(end, range.end);
    }
}

static void set(uintptr_t begin, uint64_t size, int ignored) {
    uintptr_t end = size > UINTPTR_MAX - begin ? UINTPTR_MAX : begin + size;
    os_lock(&lock);
    cut(begin, end);
    if (ignored) append(begin, end);
    __atomic_store_n(&ignored_any, count != 0, __ATOMIC_RELAXED);
    os_unlock(&lock);
}

void ignored_add(uintptr_t begin, uint64_t size) { set(begin, size, 1); }

void ignored_remove(uintptr_t begin, uint64_t size) { set(begin, size, 0); }

uintptr_t ignored_end(uintptr_t address) {
    os_lock(&lock);
    uintptr_t end = address;
    for (uint64_t i = 0; i < count; i++)
        if (ranges[i].begin <= address && address < ranges[i].end) end = ranges[i].end;
    os_unlock(&lock);
    return end;
}
