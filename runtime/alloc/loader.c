#include "loader.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../planes/planes.h"

#include <link.h>

struct loader_code loader_code = {0, SIZE_MAX};

/* In front of each piece of memory. */
struct head {
    uint64_t size; /* as requested */
    uint64_t link; /* in use: its own address and KEY; else the next free piece of its shift */
};
#define KEY 0x5eed10adull

#define LEAST_SHIFT 5u
#define MOST_SHIFT 36u
#define OPEN_STEP (256ull << 10)
/* From this size on, unused pages are given back. */
#define GIVE_BACK (64ull << 10)

static struct os_lock lock;
static uintptr_t cut_end, open_end; /* what has ever been in use, and what is accessible */
static uintptr_t free_pieces[MOST_SHIFT];

/* ---- where the loader is ---- */

static void find_code(uintptr_t base) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)base;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(base + header->e_phoff);
    uintptr_t end = base;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && base + segments[i].p_vaddr + segments[i].p_memsz > end)
            end = base + segments[i].p_vaddr + segments[i].p_memsz;
    loader_code.begin = base;
    loader_code.size = end - base;
}

long loader_reserve(void) {
    long result = os_reserve(WH_LOADER_BASE, WH_LOADER_SIZE, OS_NONE);
    loader_code.size = 0;
    if (result < 0) return result;
    cut_end = open_end = WH_LOADER_BASE;
    if (_r_debug.r_ldbase) find_code(_r_debug.r_ldbase);
    return 0;
}

/* ---- memory ---- */

static unsigned shift_for(size_t size) {
    uint64_t need = size + sizeof(struct head);
    return need <= 1u << LEAST_SHIFT ? LEAST_SHIFT : 64 - (unsigned)__builtin_clzll(need - 1);
}

static uintptr_t cut(unsigned shift) {
    uintptr_t begin = cut_end, end = begin + (1ull << shift);
    if (end > WH_LOADER_BASE + WH_LOADER_SIZE) return 0;
    if (end > open_end) {
        uintptr_t open = wh_round_up(end, OPEN_STEP);
        if (os_protect(open_end, open - open_end, OS_READ_WRITE) < 0) return 0;
        open_end = open;
    }
    cut_end = end;
    return begin;
}

static uintptr_t take(unsigned shift) {
    uintptr_t piece = free_pieces[shift];
    if (!piece) return cut(shift);
    free_pieces[shift] = ((const struct head *)piece)->link;
    return piece;
}

void *loader_new(size_t size) {
    if (size > WH_LOADER_SIZE / 2 - sizeof(struct head)) return NULL;
    unsigned shift = shift_for(size);
    os_lock(&lock);
    struct head *piece = (struct head *)take(shift);
    if (piece) *piece = (struct head){size, (uintptr_t)piece ^ KEY};
    os_unlock(&lock);
    return piece ? piece + 1 : NULL;
}

static struct head *head_of(uintptr_t address) { return (struct head *)address - 1; }

int loader_begins(uintptr_t address) {
    const struct head *piece = head_of(address);
    if (address % sizeof *piece || (uintptr_t)piece < WH_LOADER_BASE || address >= cut_end)
        return 0;
    return piece->link == ((uintptr_t)piece ^ KEY);
}

/* Pages count as zero again, and no pointer stays where a leak search would find it. */
static void clear(uintptr_t begin, size_t size) {
    uintptr_t from = wh_round_up(begin, OS_PAGE), to = wh_round_down(begin + size, OS_PAGE);
    if (size < GIVE_BACK) {
        wh_fill((void *)begin, 0, size);
        return;
    }
    wh_fill((void *)begin, 0, from - begin);
    os_discard(from, to - from);
    wh_fill((void *)to, 0, begin + size - to);
}

/* Thread-local variables of libraries lie here, between zones (rt/late_variables.c). */
static void open_zones(uintptr_t begin, size_t size) {
    size = wh_round_up(size, WH_GRANULE);
    if (PORT_PLANES && size && !plane_clean(begin, size))
        plane_set(begin, size, WH_STATE_ADDRESSABLE);
}

void loader_free(uintptr_t address) {
    struct head *piece = head_of(address);
    unsigned shift = shift_for(piece->size);
    clear(address, piece->size);
    open_zones(address, piece->size);
    os_lock(&lock);
    piece->link = free_pieces[shift];
    free_pieces[shift] = (uintptr_t)piece;
    os_unlock(&lock);
}

size_t loader_size(uintptr_t address) { return head_of(address)->size; }

void loader_lock(void) { os_lock(&lock); }

void loader_unlock(void) { os_unlock(&lock); }
