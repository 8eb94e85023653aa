#include "classes.h"
#include "../blocks/block.h"
#include "../os/mem.h"
#include "../os/os.h"

#define WORD sizeof(uintptr_t)
#define NAME_SIZE 1024u
#define CHUNK 64u
#define MOST_BASES 256u
#define MOST_DEPTH 64u
/* No object is larger; a distance to the complete object that is, is none. */
#define MOST_DISTANCE (1ll << 31)

/* Of the flags of a base in a description, the one of virtual bases; its offset is above them. */
#define BASE_IS_VIRTUAL 1
#define BASE_OFFSET_SHIFT 8

enum kind { NO_CLASS, PLAIN, ONE_BASE, BASES };
enum answer { NO, YES, UNKNOWN };

struct description {
    uintptr_t vtable, name;
};

static int word_at(uintptr_t address, uintptr_t *word) {
    return address && address % WORD == 0 && os_copy(word, address, sizeof *word);
}

/* Copies text that may lie anywhere, page by page, and ends it. Whether it could be read. */
static int text_at(uintptr_t address, char *text, size_t room) {
    for (size_t length = 0; length < room - 1;) {
        size_t part = OS_PAGE - address % OS_PAGE, left = room - 1 - length;
        if (part > CHUNK - address % CHUNK) part = CHUNK - address % CHUNK;
        if (part > left) part = left;
        if (!os_copy(text + length, address, part)) return 0;
        for (size_t i = 0; i < part; i++)
            if (!text[length + i]) return 1;
        length += part, address += part;
    }
    text[room - 1] = 0;
    return 1;
}

/* 1 the same, 0 not, -1 it cannot be read. */
static int is_text(uintptr_t address, const char *text) {
    char there[NAME_SIZE];
    return text_at(address, there, sizeof there) ? wh_same(there, text) : -1;
}

/* The descriptions of classes are objects of three classes, with a description each. */
static enum kind kind_of(uintptr_t vtable) {
    static const char *const names[] = {"N10__cxxabiv117__class_type_infoE",
                                        "N10__cxxabiv120__si_class_type_infoE",
                                        "N10__cxxabiv121__vmi_class_type_infoE"};
    static const enum kind kinds[] = {PLAIN, ONE_BASE, BASES};
    uintptr_t own, name;
    if (!word_at(vtable - WORD, &own) || !word_at(own + WORD, &name)) return NO_CLASS;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_text(name, names[i]) == 1) return kinds[i];
    return NO_CLASS;
}

/* Names with a star are of classes of one source file; the front end writes none before them. */
static uintptr_t plain_name(uintptr_t name) {
    char first;
    return os_copy(&first, name, 1) && first == '*' ? name + 1 : name;
}

static enum answer base_of(uintptr_t type, const char *name, long long distance, unsigned depth);

static enum answer one_of_bases(uintptr_t type, const char *name, long long distance,
                                unsigned depth) {
    uint32_t counts[2];
    if (!os_copy(counts, type + 2 * WORD, sizeof counts) || counts[1] > MOST_BASES) return UNKNOWN;
    enum answer best = NO;
    for (uint32_t i = 0; i < counts[1]; i++) {
        uintptr_t base, flags, row = type + 3 * WORD + i * 2 * WORD;
        if (!word_at(row, &base) || !word_at(row + WORD, &flags)) return UNKNOWN;
        long long offset = (long long)flags >> BASE_OFFSET_SHIFT;
        /* The place of a virtual base depends on the complete object. */
        enum answer found =
            flags & BASE_IS_VIRTUAL ? UNKNOWN : base_of(base, name, distance - offset, depth + 1);
        if (found == YES) return YES;
        if (found == UNKNOWN) best = UNKNOWN;
    }
    return best;
}

/* Whether the class is the named one, or has it for a base, so many bytes behind its begin. */
static enum answer base_of(uintptr_t type, const char *name, long long distance, unsigned depth) {
    struct description there;
    uintptr_t base;
    if (depth > MOST_DEPTH || !os_copy(&there, type, sizeof there)) return UNKNOWN;
    int same = is_text(plain_name(there.name), name);
    if (same < 0) return UNKNOWN;
    if (same) return distance == 0 ? YES : NO;
    switch (kind_of(there.vtable)) {
    case PLAIN: return NO;
    case ONE_BASE:
        return word_at(type + 2 * WORD, &base) ? base_of(base, name, distance, depth + 1) : UNKNOWN;
    case BASES: return one_of_bases(type, name, distance, depth);
    default: return UNKNOWN;
    }
}

/* ---- the words of a report ---- */

static __thread char said[2 * NAME_SIZE + 1];

/* The types of the place, a line break, and the mangled name of the class that the object has. */
static const char *with_class(const char *types, uintptr_t name) {
    size_t length = wh_length(types);
    if (length > NAME_SIZE) length = NAME_SIZE;
    wh_copy(said, types, length);
    said[length++] = '\n';
    return text_at(name, said + length, NAME_SIZE) ? said : types;
}

/* A block that is dead is another bug, which the check of the access finds. */
static int is_dead(uintptr_t object) {
    struct block block = block_at(object);
    return block_exists(block) && !block_is_live(block);
}

/* ---- what was looked up before ---- */

#define PASSED 4096u

/* Of each vtable that passed for a class's name, a number that is as good as the pair. */
static uint64_t passed[PASSED];

static uint64_t pair_of(uintptr_t vtable, const struct whence_site *site) {
    uint64_t mixed =
        (vtable ^ (uintptr_t)site->name * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    return mixed ^ mixed >> 29;
}

static int has_passed(uint64_t pair) {
    return __atomic_load_n(&passed[pair % PASSED], __ATOMIC_RELAXED) == pair;
}

static void pass(uint64_t pair, uintptr_t vtable, struct whence_site *site) {
    __atomic_store_n(&passed[pair % PASSED], pair, __ATOMIC_RELAXED);
    __atomic_store_n(&site->seen, vtable, __ATOMIC_RELAXED);
}

int class_is_of(uintptr_t object, struct whence_site *site, const char **types) {
    uintptr_t vtable, type;
    uintptr_t distance;
    struct description there;
    if (!site->name || object % WORD || is_dead(object)) return 1;
    vtable = *(const uintptr_t *)object; /* generated code has just read it */
    if (!vtable) return 0;
    uint64_t pair = pair_of(vtable, site);
    if (has_passed(pair)) return 1;
    /* What cannot be read is no vtable, whatever it is. */
    if (!word_at(vtable - WORD, &type) || !word_at(vtable - 2 * WORD, &distance)) return 0;
    long long to_top = (long long)distance;
    if (!type || to_top > 0 || to_top < -MOST_DISTANCE) return 1;
    if (!os_copy(&there, type, sizeof there)) return 0;
    if (kind_of(there.vtable) == NO_CLASS) return 1;
    enum answer answer = base_of(type, site->name, -to_top, 0);
    if (answer == NO) *types = with_class(site->types, plain_name(there.name));
    if (answer != NO) pass(pair, vtable, site);
    return answer != NO;
}
