#include "snapshot.h"
#include "standing.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/maps.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#define RANGES_MOST 1024u
/* Each path copies back what any path before it has written to: beyond so many pages a fork is
 * cheaper. */
#define SAVED_MOST 512u
#define INDEX_COUNT (4u * SAVED_MOST)
#define OPEN_MOST 64u
/* Pages of the stack below its pointer: above them what a path writes is saved, below them it is
 * dropped. */
#define STACK_NEAR (4 * OS_PAGE)
#define STACK_MOST (SAVED_MOST / 4 * OS_PAGE)
#define STACK_ROOM (1u << 20)

/* protection: as of mprotect; 0: closed. */
struct range {
    uintptr_t begin, end;
    int protection;
};

/* kept: what the kernel writes whenever it likes (rseq). index: numbers of pages from 1 on by the
 * hash of their addresses, 0: none. */
struct snapshot {
    struct range ranges[RANGES_MOST];
    uint32_t range_count, saved_count;
    uintptr_t stack_floor, stack_low, stack_end;
    uintptr_t kept_begin, kept_end;
    uintptr_t pages[SAVED_MOST];
    uint32_t index[INDEX_COUNT];
    size_t maps_size;
    int taken;
};

static struct snapshot *own(void) { return STANDING(STANDING_SNAPSHOT); }

static uint8_t *copy_of(uint32_t number) {
    return (uint8_t *)STANDING(STANDING_PAGES) + (size_t)number * OS_PAGE;
}

_Static_assert(STANDING_PAGES + SAVED_MOST * OS_PAGE <= WH_SYMBOLIC_REWIND_SIZE, "room for pages");
_Static_assert(STANDING_SNAPSHOT + sizeof(struct snapshot) <= STANDING_STACK, "room for tables");

static int overlap(uintptr_t begin, uintptr_t end, uintptr_t from, uintptr_t to) {
    return begin < to && end > from;
}

/* ---- the mappings ---- */

static int is_stack(const struct mapping *mapping) {
    static const char name[] = "[stack]";
    if (mapping->path_length != sizeof name - 1) return 0;
    for (size_t i = 0; i < sizeof name - 1; i++)
        if (mapping->path[i] != name[i]) return 0;
    return 1;
}

static int protection_of(const struct mapping *mapping) {
    return (mapping->protection[0] == 'r' ? PROT_READ : 0) |
           (mapping->protection[1] == 'w' ? PROT_WRITE : 0) |
           (mapping->protection[2] == 'x' ? PROT_EXEC : 0);
}

static int add_mapping(struct snapshot *snapshot, const struct mapping *mapping) {
    int protection = protection_of(mapping);
    if (mapping->protection[3] != 'p' || (protection && !(protection & PROT_WRITE)) ||
        overlap(mapping->begin, mapping->end, WH_SYMBOLIC_REWIND_BASE,
                WH_SYMBOLIC_REWIND_BASE + WH_SYMBOLIC_REWIND_SIZE))
        return 1;
    if (is_stack(mapping)) {
        snapshot->stack_floor = mapping->begin, snapshot->stack_end = mapping->end;
        return 1;
    }
    if (snapshot->range_count == RANGES_MOST) return 0;
    snapshot->ranges[snapshot->range_count++] =
        (struct range){mapping->begin, mapping->end, protection};
    return 1;
}

static int find_mappings(struct snapshot *snapshot) {
    char *text = STANDING(STANDING_MAPS);
    size_t room = STANDING_ROOM(STANDING_MAPS, STANDING_MAPS_END), at = 0;
    long size = os_read_file("/proc/self/maps", text, room);
    if (size <= 0 || (size_t)size == room) return 0;
    snapshot->maps_size = (size_t)size;
    struct mapping mapping;
    while (at < (size_t)size && maps_parse(text, (size_t)size, &at, &mapping))
        if (!add_mapping(snapshot, &mapping)) return 0;
    return at == (size_t)size && snapshot->stack_end;
}

/* The stack grows here, so that paths do not make it grow. */
static __attribute__((noinline)) void grow_stack(void) {
    char room[STACK_ROOM];
    *(volatile char *)room = 0;
}

/* Where the C library has registered its area of restartable sequences, since 2.35. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));
#define RSEQ_LEAST 32u

int snapshot_find(void) {
    struct snapshot *snapshot = own();
    wh_fill(snapshot, 0, sizeof *snapshot);
    grow_stack();
    if (&__rseq_size && __rseq_size) {
        snapshot->kept_begin = (uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset;
        snapshot->kept_end =
            snapshot->kept_begin + (__rseq_size > RSEQ_LEAST ? __rseq_size : RSEQ_LEAST);
    }
    return find_mappings(snapshot);
}

static const struct range *range_of(uintptr_t address) {
    struct snapshot *snapshot = own();
    for (uint32_t i = 0; i < snapshot->range_count; i++)
        if (address >= snapshot->ranges[i].begin && address < snapshot->ranges[i].end)
            return &snapshot->ranges[i];
    return NULL;
}

int snapshot_has(uintptr_t begin, uint64_t size) {
    struct snapshot *snapshot = own();
    if (overlap(begin, begin + size, snapshot->stack_floor, snapshot->stack_end)) return 1;
    for (uint32_t i = 0; i < snapshot->range_count; i++)
        if (overlap(begin, begin + size, snapshot->ranges[i].begin, snapshot->ranges[i].end))
            return 1;
    return 0;
}

int snapshot_is_taken(void) { return own()->taken; }

uintptr_t snapshot_stack_end(uintptr_t address) {
    const struct snapshot *snapshot = own();
    int inside = address >= snapshot->stack_floor && address < snapshot->stack_end;
    return inside ? snapshot->stack_end : 0;
}

const char *snapshot_maps(size_t *size) {
    *size = own()->maps_size;
    return STANDING(STANDING_MAPS);
}

int snapshot_was_closed(uintptr_t begin, uint64_t size) {
    const struct range *range = range_of(begin);
    return range && !range->protection && begin + size <= range->end;
}

static long protect(const struct range *range, int protection) {
    return os_call(SYS_mprotect, (long)range->begin, (long)(range->end - range->begin), protection,
                   0, 0, 0);
}

static void open_ranges(void) {
    struct snapshot *snapshot = own();
    for (uint32_t i = 0; i < snapshot->range_count; i++)
        if (snapshot->ranges[i].protection)
            protect(&snapshot->ranges[i], snapshot->ranges[i].protection);
}

/* ---- pages ---- */

static uint32_t *entry_of(uintptr_t page) {
    struct snapshot *snapshot = own();
    for (uint32_t i = (uint32_t)((page >> OS_PAGE_SHIFT) * 0x9E3779B1u);; i++) {
        uint32_t *entry = &snapshot->index[i % INDEX_COUNT];
        if (!*entry || snapshot->pages[*entry - 1] == page) return entry;
    }
}

int snapshot_is_open(uintptr_t page) { return *entry_of(page) != 0; }

const uintptr_t *snapshot_pages(uint32_t *count) {
    *count = own()->saved_count;
    return own()->pages;
}

/* 0: it is saved already. */
static int save(uintptr_t page) {
    struct snapshot *snapshot = own();
    uint32_t *entry = entry_of(page);
    if (*entry) return 0;
    wh_copy(copy_of(snapshot->saved_count), (const void *)page, OS_PAGE);
    snapshot->pages[snapshot->saved_count++] = page;
    *entry = snapshot->saved_count;
    return 1;
}

int snapshot_open(uintptr_t address) {
    struct snapshot *snapshot = own();
    uintptr_t page = wh_round_down(address, OS_PAGE);
    const struct range *range = snapshot->taken ? range_of(page) : NULL;
    if (!range || !range->protection || snapshot->saved_count == SAVED_MOST || !save(page))
        return 0;
    struct range one = {page, page + OS_PAGE, range->protection};
    return protect(&one, range->protection) == 0;
}

int snapshot_open_range(uintptr_t begin, uint64_t size) {
    if (size > OPEN_MOST * OS_PAGE) return !snapshot_has(begin, size);
    for (uintptr_t page = wh_round_down(begin, OS_PAGE); page < begin + size; page += OS_PAGE) {
        const struct range *range = range_of(page);
        if (range && range->protection && !*entry_of(page) && !snapshot_open(page)) return 0;
    }
    return 1;
}

/* The pages that the kernel writes to whenever it likes are never closed: it would end the process.
 */
static int close_ranges(const struct snapshot *snapshot) {
    uintptr_t low = wh_round_down(snapshot->kept_begin, OS_PAGE);
    uintptr_t high = wh_round_up(snapshot->kept_end, OS_PAGE);
    for (uint32_t i = 0; i < snapshot->range_count; i++) {
        struct range range = snapshot->ranges[i];
        if (!range.protection) continue;
        int closed = range.protection & ~PROT_WRITE;
        if (overlap(low, high, range.begin, range.end)) {
            struct range before = {range.begin, low, 0};
            range.begin = high;
            if (before.begin < before.end && protect(&before, closed)) return 0;
        }
        if (range.begin < range.end && protect(&range, closed)) return 0;
    }
    return 1;
}

static void save_pages(uintptr_t begin, uintptr_t end) {
    for (uintptr_t page = wh_round_down(begin, OS_PAGE); page < end; page += OS_PAGE) save(page);
}

static int save_stack(struct snapshot *snapshot, uintptr_t sp) {
    if (sp < snapshot->stack_floor + STACK_NEAR || sp >= snapshot->stack_end ||
        snapshot->stack_end - sp > STACK_MOST)
        return 0;
    snapshot->stack_low = wh_round_down(sp - STACK_NEAR, OS_PAGE);
    save_pages(snapshot->stack_low, snapshot->stack_end);
    return 1;
}

static void drop_lower_stack(const struct snapshot *snapshot) {
    os_discard(snapshot->stack_floor, snapshot->stack_low - snapshot->stack_floor);
}

int snapshot_take(uintptr_t sp) {
    struct snapshot *snapshot = own();
    snapshot->taken = 1;
    save_pages(snapshot->kept_begin, snapshot->kept_end);
    if (!save_stack(snapshot, sp) || !close_ranges(snapshot)) {
        snapshot_leave();
        return 0;
    }
    drop_lower_stack(snapshot);
    return 1;
}

/* The kernel says in these bytes where the thread runs. */
static void copy_back(const struct snapshot *snapshot, uint32_t number) {
    uintptr_t page = snapshot->pages[number];
    const uint8_t *copy = copy_of(number);
    if (!overlap(page, page + OS_PAGE, snapshot->kept_begin, snapshot->kept_end)) {
        wh_copy((void *)page, copy, OS_PAGE);
        return;
    }
    uintptr_t begin = snapshot->kept_begin > page ? snapshot->kept_begin - page : 0;
    uintptr_t end = snapshot->kept_end - page < OS_PAGE ? snapshot->kept_end - page : OS_PAGE;
    wh_copy((void *)page, copy, begin);
    wh_copy((void *)(page + end), copy + end, OS_PAGE - end);
}

void snapshot_restore(void) {
    const struct snapshot *snapshot = own();
    for (uint32_t i = 0; i < snapshot->saved_count; i++) copy_back(snapshot, i);
    drop_lower_stack(snapshot);
}

void snapshot_leave(void) {
    own()->taken = 0;
    open_ranges();
}
