#include "roots.h"
#include "../blocks/blocks.h"
#include "../planes/planes.h"
#include "../record/record.h"
#include "../rt/images.h"
#include "../rt/maps.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* First address of the runtime's own image, and its end (from the linker). */
extern const char __ehdr_start[] HIDDEN;
extern const char _end[] HIDDEN;

/* ---- stacks of ended threads ---- */

#define DEAD_MOST 4096u
static uintptr_t dead[DEAD_MOST];

void roots_stack_died(uintptr_t descriptor) {
    for (unsigned i = 0; i < DEAD_MOST; i++) {
        uintptr_t empty = 0;
        if (__atomic_compare_exchange_n(&dead[i], &empty, descriptor, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
    }
}

void roots_stack_born(uintptr_t descriptor) {
    for (unsigned i = 0; i < DEAD_MOST; i++) {
        uintptr_t same = descriptor;
        if (__atomic_compare_exchange_n(&dead[i], &same, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

/* Descriptor of the ended thread whose stack the mapping is; 0 for any other mapping. */
static uintptr_t dead_descriptor(const struct mapping *mapping) {
    for (unsigned i = 0; i < DEAD_MOST; i++)
        if (dead[i] >= mapping->begin && dead[i] < mapping->end) return dead[i];
    return 0;
}

/* ---- mappings ---- */

static int overlaps(const struct mapping *mapping, uintptr_t begin, uint64_t size) {
    return mapping->begin < begin + size && mapping->end > begin;
}

static int is_ours(const struct mapping *mapping) {
    uintptr_t begin;
    size_t size;
    if (overlaps(mapping, PLANE_BEGIN, PLANE_END - PLANE_BEGIN) ||
        overlaps(mapping, WH_HEAP_BASE, WH_HEAP_SIZE) ||
        overlaps(mapping, WH_DEPOT_BASE, WH_DEPOT_SIZE) ||
        overlaps(mapping, WH_PRIVATE_BASE, WH_PRIVATE_SIZE))
        return 1;
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++)
        if (overlaps(mapping, meta_begin(shift),
                     (region_slots(shift) + 1) * WH_BLOCK_RECORD_SIZE) ||
            overlaps(mapping, (uintptr_t)block_links(shift), (region_slots(shift) + 1) * 4))
            return 1;
    return record_mapped(&begin, &size) && overlaps(mapping, begin, size);
}

/* Leaves the runtime's own data out: other memory may lie in one mapping with it. */
static void clip(struct mapping *mapping) {
    uintptr_t begin = (uintptr_t)__ehdr_start, end = (uintptr_t)_end;
    if (mapping->begin < begin || mapping->begin >= end) return;
    mapping->begin = mapping->end < end ? mapping->end : end;
}

static int is_root(const struct mapping *mapping) {
    return mapping->protection[0] == 'r' && mapping->protection[1] == 'w' &&
           mapping->protection[3] == 'p' && !is_ours(mapping);
}

/* Where the living part of a mapping begins: at the stack pointer of the thread
 * whose stack it is. */
static uintptr_t living(const struct mapping *mapping, const struct stack_top *stacks,
                        size_t count) {
    uintptr_t lowest = mapping->end;
    for (size_t i = 0; i < count; i++)
        if (stacks[i].sp >= mapping->begin && stacks[i].sp < lowest) lowest = stacks[i].sp;
    if (lowest < mapping->end) return lowest;
    uintptr_t descriptor = dead_descriptor(mapping);
    return descriptor ? descriptor : mapping->begin;
}

/* ---- whose they are ---- */

static int has_name(const struct mapping *mapping, const char *start) {
    size_t at = mapping->path_length;
    while (at > 0 && mapping->path[at - 1] != '/') at--;
    for (; *start; start++, at++)
        if (at >= mapping->path_length || mapping->path[at] != *start) return 0;
    return 1;
}

static int is_system(const struct mapping *mapping) {
    return images_is_system(mapping->path, mapping->path_length);
}

static uintptr_t loader_begin, loader_end;

static void note_loader(const struct mapping *mapping) {
    if (!has_name(mapping, "ld-linux") && !has_name(mapping, "ld-2.")) return;
    if (!loader_begin) loader_begin = mapping->begin;
    loader_end = mapping->end;
}

int roots_in_loader(uint64_t pc) { return pc >= loader_begin && pc < loader_end; }

/* One pass over the mappings. Uninitialised data is mapped without a name,
 * directly behind the file it belongs to. */
static void pass(const char *text, size_t size, const struct stack_top *stacks, size_t count,
                 int system, void (*visit)(uintptr_t begin, uintptr_t end, int system)) {
    size_t at = 0;
    uintptr_t system_end = 0;
    struct mapping mapping;
    while (at < size && maps_parse(text, size, &at, &mapping)) {
        note_loader(&mapping);
        int belongs = is_system(&mapping) || (!mapping.path_length && mapping.begin == system_end);
        if (belongs) system_end = mapping.end;
        if (!is_root(&mapping)) continue;
        clip(&mapping);
        if (dead_descriptor(&mapping)) belongs = 1;
        if (belongs != system) continue;
        uintptr_t begin = living(&mapping, stacks, count);
        if (begin < mapping.end) visit(begin, mapping.end, system);
    }
}

int roots_each(const struct stack_top *stacks, size_t count,
               void (*visit)(uintptr_t begin, uintptr_t end, int system)) {
    size_t size;
    uintptr_t text = maps_read(&size);
    if (!text) return 0;
    pass((const char *)text, size, stacks, count, 0, visit);
    pass((const char *)text, size, stacks, count, 1, visit);
    os_unmap(text, MAPS_ROOM);
    return 1;
}
