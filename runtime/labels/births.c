#include "births.h"
#include "born.h"
#include "plane.h"
#include "../include/whence/labels.h"
#include "../os/text.h"
#include "../process/thread.h"

WH_EXPORT __thread struct labels_passed __whence_labels __attribute__((tls_model("initial-exec")));

static const struct whence_rule_set *labelling;

void labels_begin(const struct whence_rule_set *set) { labelling = set; }

static uint8_t bits_of(const struct whence_birth *rows, uint64_t count, const char *name) {
    for (uint64_t i = 0; i < count; i++)
        if (wh_same(rows[i].function, name)) return (uint8_t)rows[i].labels;
    return 0;
}

static uint8_t born_of(const char *function) {
    return bits_of(labelling->births, labelling->birth_count, function);
}

uint8_t labels_named(const char *name) {
    return labelling ? bits_of(labelling->labels, labelling->label_count, name) : 0;
}

int labels_marked(const char *function, const struct frame *frame, uintptr_t at, uint64_t size) {
    uint8_t labels = labelling ? born_of(function) : 0;
    if (labels) labels_add(at, size, labels, birth_here(frame));
    return labels != 0;
}

int labels_unmarked(const char *function, uintptr_t at, uint64_t size) {
    uint8_t labels = labelling ? born_of(function) : 0;
    if (labels) labels_drop(at, size, labels);
    return labels != 0;
}

/* ---- what wrappers announce ---- */

static void arrived(const struct transfer *transfer) {
    uint8_t labels = born_of(transfer->function);
    uint16_t birth = labels ? birth_here(transfer->frame) : 0;
    size_t left = (size_t)transfer->size;
    for (size_t i = 0; left && i < transfer->count; i++) {
        size_t size = part_next(&transfer->parts[i], &left);
        labels_store((uintptr_t)transfer->parts[i].iov_base, size, labels, birth);
    }
}

static void put(const char *function, const struct frame *frame, const void *to, size_t size) {
    uint8_t labels = born_of(function);
    labels_store((uintptr_t)to, size, labels, labels ? birth_here(frame) : 0);
}

static void stored(const char *function, const struct frame *frame, struct intake *intake,
                   const struct taken_part *part) {
    (void)intake;
    if (part->is_outside) put(function, frame, part->to, part->size);
}

static void lent(const char *function, const struct frame *frame, const char *text) {
    put(function, frame, text, wh_length(text));
}

static void give(uint8_t labels) {
    __whence_labels.passed.returned = WH_LABELS_FROM_LIBRARY;
    __whence_labels.passed.result = labels;
}

static void returned(const char *function, const struct frame *frame, struct intake *intake,
                     uint8_t byte) {
    (void)intake, (void)byte;
    uint8_t labels = born_of(function);
    if (labels) birth_seen(labels, birth_here(frame));
    give(labels);
}

static void parsed(const char *function, const char *text, uint64_t size, uint64_t result) {
    (void)function, (void)result;
    give(labels_load((uintptr_t)text, size) & (uint8_t)labelling->labels_parsed);
}

static void moves(const struct block_move *move) {
    labels_copy(move->target, move->begin, move->size);
}

/* ---- memory that is new ---- */

static void made(const struct made_block *block) {
    labels_clear(block->begin, block->request->size);
}

static void extended(struct block block, uint64_t from, const struct frame *frame) {
    (void)frame;
    labels_clear(block_begin(block) + from, block_size(block) - from);
}

const struct observer labels_observer = {
    .made = made,
    .moves = moves,
    .extended = extended,
    .mapped = labels_clear,
    .arrived = arrived,
    .lent = lent,
    .stored = stored,
    .returned = returned,
    .parsed = parsed,
    .copied = labels_copy,
    .filled = labels_clear,
};

/* ---- generated code ---- */

WH_EXPORT uint64_t __whence_labels_load(uint64_t at, uint64_t size) {
    return labels_load(at, size);
}

WH_EXPORT void __whence_labels_store(uint64_t at, uint64_t size, uint64_t labels) {
    labels_store(at, size, (uint8_t)labels, birth_last((uint8_t)labels));
}

WH_EXPORT void __whence_labels_drop(uint64_t at, uint64_t size, uint64_t labels) {
    labels_drop(at, size, (uint8_t)labels);
}

WH_EXPORT void __whence_labels_copy(uint64_t to, uint64_t from, uint64_t size) {
    labels_copy(to, from, size);
}

WH_EXPORT void __whence_labels_main(char **arguments) {
    uint8_t labels = labelling ? born_of(WH_LABELS_ARGUMENTS) : 0;
    uint16_t birth = labels ? birth_here(FRAME_HERE) : 0;
    for (char **at = arguments; labels && at && *at; at++)
        labels_store((uintptr_t)*at, wh_length(*at), labels, birth);
}
