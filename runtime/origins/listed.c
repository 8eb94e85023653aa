/* System V ABI for x86-64, 3.5.7. */
#include "listed.h"
#include "cells.h"

#define WORD sizeof(uint64_t)
#define GENERAL_SIZE (6u * WORD)
#define VECTORS 8u
#define VECTOR_SIZE 16u

/* What va_start fills. */
struct list {
    uint32_t general, vector; /* offsets of the next registers */
    uint64_t stack, registers;
};

/* ---- words ---- */

/* A value without a node has a word only where the table of nodes is full. */
static void keep(struct origins_listed *kept, unsigned first) {
    const struct origins_passed *passed = &__whence_origins;
    uint64_t end = passed->passed.count;
    if (end > WHENCE_ORIGIN_ARGUMENTS) end = WHENCE_ORIGIN_ARGUMENTS;
    if (nodes_are_full()) return;
    for (uint64_t i = first; i < end && kept->listed.count < WHENCE_ORIGIN_LISTED; i++)
        kept->words[kept->listed.count++] = passed->arguments[i];
}

/* ---- where they are ---- */

/* Where the next arguments are. */
struct walk {
    uint64_t general, end; /* of the registers */
    uint64_t vectors;      /* that are taken */
    uint64_t stack;        /* 0: it is not known */
};

static uintptr_t next_on_stack(struct walk *walk) {
    uintptr_t place = walk->stack;
    if (place) walk->stack += WORD;
    return place;
}

/* The place of the next argument; 0: it is not known, or it has no node. */
static uintptr_t next_place(struct walk *walk, uint64_t word) {
    if (word == WH_ORIGIN_STACKED_ARGUMENT) {
        walk->stack = 0;
        return 0;
    }
    if (word == WH_ORIGIN_VECTOR_ARGUMENT) {
        if (walk->vectors++ >= VECTORS) next_on_stack(walk);
        return 0;
    }
    if (walk->general == walk->end) return next_on_stack(walk);
    walk->general += WORD;
    return walk->general - WORD;
}

static void set(uintptr_t place, uint64_t word) {
    uint32_t node = (uint32_t)word;
    if (*(const uint32_t *)place == word >> 32)
        __whence_origin_keep(place, WORD, *(const uint64_t *)place, node);
    else
        cells_forget(place, WORD);
}

static void set_all(struct origins_listed *kept, const struct list *list) {
    struct walk walk = {.general = list->registers + list->general,
                        .end = list->registers + GENERAL_SIZE,
                        .vectors = (list->vector - GENERAL_SIZE) / VECTOR_SIZE,
                        .stack = list->stack};
    for (uint64_t i = 0; i < kept->listed.count && kept->words[i]; i++) {
        uintptr_t place = next_place(&walk, kept->words[i]);
        if (!place) continue;
        set(place, kept->words[i]);
        if (place >= list->stack) kept->listed.stacked = place + WORD - list->stack;
    }
}

static void begin(struct origins_listed *kept, const struct list *list) {
    kept->listed.general = list->registers;
    kept->listed.stack = list->stack;
    cells_forget(list->registers, GENERAL_SIZE);
    set_all(kept, list);
}

/* ---- generated code, and wrappers ---- */

WH_EXPORT void __whence_origin_listing(struct origins_listed *kept, uint64_t function,
                                       uint64_t first) {
    kept->listed = (struct whence_listed){0};
    if (__whence_origins.passed.callee == function) keep(kept, (unsigned)first);
}

WH_EXPORT void __whence_origin_listed(struct origins_listed *kept, uint64_t list) {
    begin(kept, (const struct list *)list);
}

WH_EXPORT void __whence_origin_unlisted(struct origins_listed *kept) {
    if (!kept->listed.general) return;
    cells_forget(kept->listed.general, GENERAL_SIZE);
    if (kept->listed.stacked) cells_forget(kept->listed.stack, kept->listed.stacked);
}

void listed_begin(struct origins_listed *kept, unsigned first, const va_list list) {
    kept->listed = (struct whence_listed){0};
    keep(kept, first);
    begin(kept, (const struct list *)list);
}

void listed_end(struct origins_listed *kept) { __whence_origin_unlisted(kept); }
