#include "indexed.h"
#include "../include/whence/origins.h"
#include "../os/mem.h"
#include <stdarg.h>

#define ENTRIES_SHIFT 12

/* Several threads may write an entry at once: the sum of its words shows whether it is one. */
struct entry {
    const struct whence_origin_site *site;
    uint64_t value; /* a pointer, or a number */
    uint64_t sum;
    struct use_values values; /* of a number: its index is the result in 128 bits */
    uint64_t upper;
    uint32_t bits;
    uint32_t differs; /* the site has computed the number from other operands, too */
};

/* Numbers are many more. */
typedef struct entry table[1u << ENTRIES_SHIFT];
static table pointers, numbers;

static struct entry *entry_of(struct entry *entries, const struct whence_origin_site *site,
                              uint64_t value) {
    uint64_t hash = ((uintptr_t)site + value * 0x10001u) * WH_ORIGIN_LATELY_HASH;
    return &entries[hash >> (64 - ENTRIES_SHIFT)];
}

static uint64_t add(uint64_t sum, uint64_t word) { return (sum ^ word) * WH_ORIGIN_LATELY_HASH; }

static uint64_t add_value(uint64_t sum, struct use_value value) {
    return add(add(sum, value.word), (uint64_t)value.has_sign << 32 | value.node);
}

static uint64_t sum_of(const struct entry *entry) {
    const struct use_values *values = &entry->values;
    uint64_t sum = add(add(1, (uintptr_t)entry->site), entry->value);
    sum = add(add(sum, entry->upper), (uint64_t)entry->differs << 32 | entry->bits);
    sum = add_value(add(sum, values->operand_count), values->index);
    for (unsigned i = 0; i < values->operand_count && i < WH_ORIGIN_MOST_OPERANDS; i++)
        sum = add_value(sum, values->operands[i]);
    return sum;
}

static void read_operands(struct entry *made, uint32_t said, va_list list) {
    made->values.operand_count = said_operands(said);
    for (unsigned i = 0; i < made->values.operand_count; i++) {
        struct use_value *operand = &made->values.operands[i];
        operand->word = va_arg(list, uint64_t);
        operand->node = va_arg(list, uint32_t);
        operand->has_sign = said_sign(said, i);
    }
}

static int find(struct entry *entries, const struct whence_origin_site *site, uint64_t value,
                struct entry *found) {
    *found = *entry_of(entries, site, value);
    return found->site == site && found->value == value && found->sum == sum_of(found);
}

static void keep(struct entry *entries, struct entry *made) {
    made->sum = sum_of(made);
    *entry_of(entries, made->site, made->value) = *made;
}

WH_EXPORT void __whence_origin_indexed(struct whence_origin_site *site, uint64_t pointer,
                                       uint64_t value, uint32_t node, uint32_t said, ...) {
    if (!site) return;
    struct entry made = {.site = site, .value = pointer};
    made.values.index = (struct use_value){value, node, 1};
    va_list list;
    va_start(list, said);
    read_operands(&made, said, list);
    va_end(list);
    keep(pointers, &made);
}

int indexed_find(const struct whence_origin_site *site, uintptr_t pointer,
                 struct use_values *found) {
    struct entry entry;
    if (!find(pointers, site, pointer, &entry)) return 0;
    *found = entry.values;
    return 1;
}

/* ---- numbers ---- */

enum likeness { EQUAL, OF_OTHER_NODES, OF_OTHER_NUMBERS };

static enum likeness compare(const struct use_values *one, const struct use_values *other) {
    enum likeness found = EQUAL;
    for (unsigned i = 0; i < one->operand_count; i++) {
        if (one->operands[i].word != other->operands[i].word) return OF_OTHER_NUMBERS;
        if (one->operands[i].node != other->operands[i].node) found = OF_OTHER_NODES;
    }
    return found;
}

WH_EXPORT void __whence_origin_computed(struct whence_origin_site *site, uint64_t value,
                                        uint64_t exact, uint64_t upper, uint32_t bits,
                                        uint32_t said, ...) {
    struct entry made = {.site = site, .value = value, .upper = upper, .bits = bits};
    made.values.index.word = exact;
    va_list list;
    va_start(list, said);
    read_operands(&made, said, list);
    va_end(list);
    const struct entry *before = entry_of(numbers, site, value);
    if (before->site == site && before->value == value) {
        enum likeness likeness = compare(&made.values, &before->values);
        if (likeness == EQUAL) return;
        made.differs = before->differs || likeness == OF_OTHER_NUMBERS;
    }
    keep(numbers, &made);
}

static __uint128_t extended(uint64_t value, unsigned bits, int has_sign) {
    int is_negative = has_sign && value >> (bits - 1) & 1;
    return is_negative ? (__uint128_t)value - ((__uint128_t)1 << bits) : value;
}

int computed_find(const struct whence_origin_site *site, uint64_t value, struct computed *found) {
    struct entry entry;
    if (!find(numbers, site, value, &entry) || entry.differs) return 0;
    __uint128_t exact = (__uint128_t)entry.upper << 64 | entry.values.index.word;
    int fits = !entry.bits || exact == extended(value, entry.bits, 0) ||
               exact == extended(value, entry.bits, 1);
    *found = (struct computed){entry.values.operand_count, {{0}}, 0, 0, 0};
    wh_copy(found->operands, entry.values.operands, sizeof found->operands);
    if (fits) return 1;
    found->bits = entry.bits;
    found->exact = entry.values.index.word;
    found->upper = entry.upper;
    return 1;
}
