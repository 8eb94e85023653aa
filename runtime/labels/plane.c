#include "plane.h"
#include "born.h"
#include "../os/mem.h"
#include "../planes/chunks.h"

#define CHUNK (1ul << WH_LABELS_CHUNK_SHIFT)

static uint64_t used;
/* A chunk has the labels of its bytes, behind them the values that the bytes had then, and the
 * numbers of births. */
static const struct chunk_plane plane = {
    .table = WH_LABELS_TABLE_BASE,
    .chunks = WH_LABELS_CHUNKS_BASE,
    .size = WH_LABELS_CHUNKS_SIZE,
    .chunk_shift = WH_LABELS_CHUNK_SHIFT,
    .cell_shift = 2,
    .used = &used,
};

static int reserved;

long labels_init(uintptr_t *begin, size_t *size) {
    long result = chunks_reserve(&plane, begin, size);
    reserved = result == 0;
    return result;
}

/* Where the labels of bytes from `at` on are; NULL: they have none. *left is made the number of
 * bytes up to the chunk's end, if it is greater. */
static uint8_t *labels_at(uintptr_t at, uint64_t *left, int make) {
    uint64_t most = CHUNK - (at & (CHUNK - 1));
    if (*left > most) *left = most;
    uintptr_t chunk = reserved ? chunk_of(&plane, at, make) : 0;
    return chunk ? (uint8_t *)chunk + (at & (CHUNK - 1)) : NULL;
}

static uint8_t now_at(uintptr_t at) { return *(const volatile uint8_t *)at; }

static uint16_t *birth_of(uint8_t *label) {
    uintptr_t begin = wh_round_down((uintptr_t)label, 4 * CHUNK);
    return (uint16_t *)(begin + 2 * CHUNK) + ((uintptr_t)label - begin);
}

/* Code that is not checked has written a byte that holds another value. */
static uint8_t still(const uint8_t *label, uintptr_t at) {
    return *label && label[CHUNK] == now_at(at) ? *label : 0;
}

uint8_t labels_load(uintptr_t at, uint64_t size) {
    uint8_t found = 0;
    for (uint64_t part = size; size; at += part, size -= part, part = size) {
        uint8_t *labels = labels_at(at, &part, 0);
        for (uint64_t i = 0; labels && i < part; i++) {
            uint8_t value = still(labels + i, at + i);
            if (value) birth_seen(value, *birth_of(labels + i));
            found |= value;
        }
    }
    return found;
}

void labels_store(uintptr_t at, uint64_t size, uint8_t value, uint16_t birth) {
    for (uint64_t part = size; size; at += part, size -= part, part = size) {
        uint8_t *labels = labels_at(at, &part, value != 0);
        for (uint64_t i = 0; labels && i < part; i++) {
            if (value) labels[i + CHUNK] = now_at(at + i), *birth_of(labels + i) = birth;
            if (labels[i] != value) labels[i] = value;
        }
    }
}

void labels_add(uintptr_t at, uint64_t size, uint8_t value, uint16_t birth) {
    for (uint64_t i = 0; i < size; i++)
        labels_store(at + i, 1, labels_load(at + i, 1) | value, birth);
}

void labels_drop(uintptr_t at, uint64_t size, uint8_t value) {
    for (uint64_t part = size; size; at += part, size -= part, part = size) {
        uint8_t *labels = labels_at(at, &part, 0);
        for (uint64_t i = 0; labels && i < part; i++)
            if (labels[i] & value) labels[i] &= (uint8_t)~value;
    }
}

void labels_clear(uintptr_t at, uint64_t size) { labels_drop(at, size, UINT8_MAX); }

static void copy_byte(uintptr_t to, uintptr_t from) {
    uint64_t one = 1;
    uint8_t *source = labels_at(from, &one, 0);
    uint8_t value = source ? still(source, from) : 0;
    uint8_t *target = labels_at(to, &one, value != 0);
    if (!target) return;
    if (value) target[CHUNK] = source[CHUNK], *birth_of(target) = *birth_of(source);
    *target = value;
}

static int has_chunk(uintptr_t at, uint64_t size) {
    for (uint64_t part = size; size; at += part, size -= part, part = size)
        if (labels_at(at, &part, 0)) return 1;
    return 0;
}

/* The ranges may overlap. */
void labels_copy(uintptr_t to, uintptr_t from, uint64_t size) {
    if (to == from || !(has_chunk(from, size) || has_chunk(to, size))) return;
    if (to - from >= size)
        for (uint64_t i = 0; i < size; i++) copy_byte(to + i, from + i);
    else
        for (uint64_t i = size; i-- > 0;) copy_byte(to + i, from + i);
}
