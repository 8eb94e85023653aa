#include "roots.h"
#include "unchanged.h"
#include "../fuzz/area.h"
#include "../blocks/block.h"
#include "../findings/tables.h"
#include "../planes/planes.h"
#include "../record/record.h"
#include "../process/images.h"
#include "../process/maps.h"
#include "../process/tool.h"
#include "../settings/options.h"
#include "../symbolic/covered.h"
#include "../symbolic/snapshot.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* First address of the runtime's own image, and its end (from the linker). */
extern const char __ehdr_start[] HIDDEN;
extern const char _end[] HIDDEN;

/* ---- stacks of ended threads ---- */

#define DEAD_MOST 4096u
static uintptr_t dead[DEAD_MOST];
static unsigned dead_any;

void roots_stack_died(uintptr_t descriptor) {
    __atomic_store_n(&dead_any, 1, __ATOMIC_RELAXED);
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

static uintptr_t main_high;

void roots_main_stack_died(uintptr_t high) { main_high = high; }

/* The C library may have given a stack back since, and the program may have
 * something else there. A thread's descriptor holds its own address twice. */
#define DESCRIPTOR_SELF 2

static int is_descriptor(uintptr_t address) {
    const uintptr_t *word = (const uintptr_t *)address;
    if (address % sizeof *word || !os_readable(address) ||
        !os_readable((uintptr_t)(word + DESCRIPTOR_SELF)))
        return 0;
    return word[0] == address && word[DESCRIPTOR_SELF] == address;
}

/* Descriptor of the ended thread whose stack the mapping is; 0 for any other mapping. */
static uintptr_t dead_descriptor(const struct mapping *mapping) {
    if (!__atomic_load_n(&dead_any, __ATOMIC_RELAXED)) return 0;
    for (unsigned i = 0; i < DEAD_MOST; i++)
        if (dead[i] >= mapping->begin && dead[i] < mapping->end && is_descriptor(dead[i]))
            return dead[i];
    return 0;
}

/* ---- mappings ---- */

static int overlaps(const struct mapping *mapping, uintptr_t begin, uint64_t size) {
    return mapping->begin < begin + size && mapping->end > begin;
}

static int is_ours(const struct mapping *mapping) {
    uintptr_t begin;
    size_t size;
    if (tables_hold_ours(mapping->begin, mapping->end) ||
        (PORT_PLANES && covered_overlaps(mapping->begin, mapping->end)) ||
        (PORT_PLANES && area_overlaps(mapping->begin, mapping->end)) ||
        heap_overlaps(mapping->begin, mapping->end) ||
        (PORT_OBSERVED && !tool_ask(WH_REQUEST_OWNER, mapping->begin, 0)))
        return 1;
    return record_mapped(&begin, &size) && overlaps(mapping, begin, size);
}

/* Leaves the runtime's own data out: other memory may lie in one mapping with it. */
static void clip(struct mapping *mapping) {
    uintptr_t begin = (uintptr_t)__ehdr_start, end = (uintptr_t)_end;
    if (mapping->begin < begin || mapping->begin >= end) return;
    mapping->begin = mapping->end < end ? mapping->end : end;
}

static int begins_with(const struct mapping *mapping, const char *start) {
    size_t at = 0;
    while (start[at] && at < mapping->path_length && mapping->path[at] == start[at]) at++;
    return !start[at];
}

/* Memory that several processes share, but that has no file's contents. */
static int is_shared_memory(const struct mapping *mapping) {
    return begins_with(mapping, "/dev/zero") || begins_with(mapping, "/SYSV") ||
           begins_with(mapping, "/memfd:");
}

static int is_file(const struct mapping *mapping) {
    return mapping->path_length && mapping->path[0] == '/';
}

/* Whether it is closed to writes until a path of an exploration writes to it. */
static int is_closed(const struct mapping *mapping) {
    return PORT_PLANES && options.explore &&
           snapshot_has(mapping->begin, mapping->end - mapping->begin);
}

/* Data that the program can write, or wrote before it was made read-only. */
static int is_data(const struct mapping *mapping) {
    const char *protection = mapping->protection;
    if (protection[0] != 'r') return 0;
    if (protection[3] == 's') return protection[1] == 'w' && is_shared_memory(mapping);
    return protection[1] == 'w' || !mapping->path_length || is_closed(mapping);
}

/* Where the living part of a mapping begins: at the stack pointer of the thread
 * whose stack it is. */
static uintptr_t living(const struct mapping *mapping, const struct stack_top *stacks,
                        size_t count) {
    uintptr_t lowest = mapping->end;
    for (size_t i = 0; i < count; i++)
        if (stacks[i].sp >= mapping->begin && stacks[i].sp < lowest) lowest = stacks[i].sp;
    if (main_high >= mapping->begin && main_high < mapping->end) lowest = main_high;
    if (lowest < mapping->end) return lowest;
    uintptr_t descriptor = dead_descriptor(mapping);
    return descriptor ? descriptor : mapping->begin;
}

/* ---- whose they are ---- */

static int is_system(const struct mapping *mapping) {
    return images_is_system(mapping->path, mapping->path_length);
}

/* ---- the mappings, once for each search ---- */

static const char *text;
static size_t text_size;

static struct roots_constants constants;

static void note_constants(const struct mapping *mapping, struct roots_constants *into) {
    if (mapping->protection[0] != 'r' || mapping->protection[1] == 'w' || !is_file(mapping) ||
        into->count == ROOTS_CONSTANTS_MOST)
        return;
    into->ranges[into->count++] = (struct roots_range){mapping->begin, mapping->end};
}

static int is_among(const struct roots_constants *known, uint64_t address) {
    size_t low = 0, high = known->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (address < known->ranges[middle].begin)
            high = middle;
        else if (address >= known->ranges[middle].end)
            low = middle + 1;
        else
            return 1;
    }
    return 0;
}

/* Whether the search is one of the paths of a process, whose roots are known. */
static int are_known;

int roots_in_constants(uint64_t address) {
    return is_among(PORT_PLANES && are_known ? unchanged_constants() : &constants, address);
}

void roots_constants(const char *maps, size_t size, struct roots_constants *into) {
    size_t at = 0;
    struct mapping mapping;
    into->count = 0;
    while (at < size && maps_parse(maps, size, &at, &mapping)) note_constants(&mapping, into);
}

void roots_find_known(uintptr_t sp) {
    are_known = PORT_PLANES && options.explore && !main_high &&
                !__atomic_load_n(&dead_any, __ATOMIC_RELAXED) && unchanged_known(sp);
}

int roots_are_known(void) { return are_known; }

int roots_open(void) {
    if (PORT_PLANES && are_known) return 1;
    text = (const char *)maps_read(&text_size);
    if (!text) return 0;
    roots_constants(text, text_size, &constants);
    return 1;
}

void roots_close(void) {
    if (text) os_unmap((uintptr_t)text, MAPS_ROOM);
    text = NULL;
}

/* What the program has mapped over pages of the heap. */
static void visit_claimed(const struct mapping *mapping, roots_visitor *visit) {
    for (uintptr_t at = mapping->begin; (at = claims_owned(at, mapping->end)) < mapping->end;
         at += OS_PAGE)
        visit(at, at + OS_PAGE, 0, is_file(mapping));
}

/* The first piece of our memory in [begin, end), which may have become one mapping with memory of
 * the program: the text of the mappings, which is large, and our thread-local variables. They hold
 * what functions were called with last. Empty at `end` if there is none. */
static struct roots_range first_of_ours(uintptr_t begin, uintptr_t end,
                                        const struct stack_top *stacks, size_t count) {
    struct roots_range first = {end, end};
    for (size_t i = 0; i <= count; i++) {
        size_t size = MAPS_ROOM;
        uintptr_t ours = (uintptr_t)text;
        if (i < count) ours = stacks[i].thread ? thread_own_memory(stacks[i].thread, &size) : 0;
        if (!ours || ours >= first.begin || ours + size <= begin) continue;
        first = (struct roots_range){ours < begin ? begin : ours, ours + size};
    }
    return first;
}

/* A root without what is ours in it. */
static void visit_around_ours(const struct root *root, const struct stack_top *stacks, size_t count,
                              roots_visitor *visit) {
    for (uintptr_t begin = root->begin; begin < root->end;) {
        struct roots_range ours = first_of_ours(begin, root->end, stacks, count);
        if (begin < ours.begin) visit(begin, ours.begin, root->system, root->file);
        begin = ours.end;
    }
}

/* Whether a mapping is of the system's libraries. Uninitialised data is mapped without a name,
 * directly behind the file it belongs to. */
static int belongs_to_system(const struct mapping *mapping, uintptr_t *system_end) {
    int belongs = is_system(mapping) || (!mapping->path_length && mapping->begin == *system_end);
    if (belongs) *system_end = mapping->end;
    return belongs;
}

/* One pass over the mappings. */
static void pass(const struct stack_top *stacks, size_t count, int system, roots_visitor *visit) {
    size_t at = 0;
    uintptr_t system_end = 0;
    struct mapping mapping;
    while (at < text_size && maps_parse(text, text_size, &at, &mapping)) {
        int belongs = belongs_to_system(&mapping, &system_end);
        if (!is_data(&mapping)) continue;
        if (is_ours(&mapping)) {
            if (!system) visit_claimed(&mapping, visit);
            continue;
        }
        clip(&mapping);
        if (dead_descriptor(&mapping)) belongs = 1;
        if (belongs != system) continue;
        struct root root = {living(&mapping, stacks, count), mapping.end, system, is_file(&mapping),
                            0};
        visit_around_ours(&root, stacks, count, visit);
    }
}

int roots_list(const char *maps, size_t size, struct root *into, uint32_t most, uint32_t *count) {
    size_t at = 0;
    uintptr_t system_end = 0;
    struct mapping mapping;
    const struct stack_top self = {0, &thread_self};
    for (*count = 0; at < size && maps_parse(maps, size, &at, &mapping);) {
        int system = belongs_to_system(&mapping, &system_end);
        if (!is_data(&mapping) || is_ours(&mapping)) continue;
        clip(&mapping);
        for (uintptr_t begin = mapping.begin; begin < mapping.end;) {
            struct roots_range ours = first_of_ours(begin, mapping.end, &self, 1);
            if (begin < ours.begin) {
                if (*count == most) return 0;
                into[(*count)++] = (struct root){begin, ours.begin, system, is_file(&mapping),
                                                 mapping.protection[3] == 's'};
            }
            begin = ours.end;
        }
    }
    return 1;
}

int roots_are_ours(uintptr_t begin, uintptr_t end) {
    return is_ours(&(struct mapping){.begin = begin, .end = end});
}

void roots_each(const struct stack_top *stacks, size_t count, roots_visitor *visit) {
    for (int system = 0; system <= 1; system++) {
        if (PORT_PLANES && are_known)
            unchanged_each(stacks[0].sp, system, visit);
        else
            pass(stacks, count, system, visit);
    }
}

void roots_readable(uintptr_t begin, uintptr_t end, roots_visitor *visit) {
    size_t at = 0;
    struct mapping mapping;
    while (at < text_size && maps_parse(text, text_size, &at, &mapping)) {
        if (mapping.protection[0] != 'r' || mapping.end <= begin || mapping.begin >= end) continue;
        visit(mapping.begin > begin ? mapping.begin : begin, mapping.end < end ? mapping.end : end,
              0, is_file(&mapping));
    }
}
