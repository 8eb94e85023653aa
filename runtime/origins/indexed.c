#include "indexed.h"
#include "../include/whence/origins.h"
#include "../os/mem.h"
#include <stdarg.h>

#define ENTRIES_SHIFT 12

/* Several threads may write an entry at once: the sum of its words shows whether it is one. */
struct entry {
    const struct whence_origin_site *site;
    uintptr_t pointer;
    uint64_t sum;
    struct use_values values;
};

static struct entry entries[1u << ENTRIES_SHIFT];

static struct entry *entry_of(const struct whence_origin_site *site, uintptr_t pointer) {
    uint64_t hash = ((uintptr_t)site + pointer * 0x10001u) * WH_ORIGIN_LATELY_HASH;
    return &entries[hash >> (64 - ENTRIES_SHIFT)];
}

static uint64_t add(uint64_t sum, uint64_t word) { return (sum ^ word) * WH_ORIGIN_LATELY_HASH; }

static uint64_t add_value(uint64_t sum, struct use_value value) {
    return add(add(sum, value.word), (uint64_t)value.has_sign << 32 | value.node);
}

static uint64_t sum_of(const struct entry *entry) {
    const struct use_values *values = &entry->values;
    uint64_t sum = add(add(1, (uintptr_t)entry->site), entry->pointer);
    sum = add_value(add(sum, values->operand_count), values->index);
    for (unsigned i = 0; i < values->operand_count && i < WH_ORIGIN_MOST_OPERANDS; i++)
        sum = add_value(sum, values->operands[i]);
    return sum;
}

WH_EXPORT void __whence_origin_indexed(struct whence_origin_site *site, uint64_t pointer,
                                       uint64_t value, uint32_t node, uint32_t said, ...) {
    if (!site) return;
    struct entry made = {.site = site, .pointer = pointer};
    made.values.index = (struct use_value){value, node, 1};
    made.values.operand_count = said_operands(said);
    va_list list;
    va_start(list, said);
    for (unsigned i = 0; i < made.values.operand_count; i++) {
        struct use_value *operand = &made.values.operands[i];
        operand->word = va_arg(list, uint64_t);
        operand->node = va_arg(list, uint32_t);
        operand->has_sign = said_sign(said, i);
    }
    va_end(list);
    made.sum = sum_of(&made);
    *entry_of(site, pointer) = made;
}

int indexed_find(const struct whence_origin_site *site, uintptr_t pointer,
                 struct use_values *found) {
    const struct entry entry = *entry_of(site, pointer);
    if (entry.site != site || entry.pointer != pointer || entry.sum != sum_of(&entry)) return 0;
    *found = entry.values;
    return 1;
}
