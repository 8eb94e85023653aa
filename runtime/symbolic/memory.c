#include "memory.h"
#include "arrays.h"
#include "decisions.h"
#include "expressions.h"
#include "../os/mem.h"
#include "../planes/chunks.h"

#define CHUNK (1ul << WH_SYMBOLIC_CHUNK_SHIFT)
#define PART ((1u << WH_SYMBOLIC_CELL_PART_BITS) - 1)
#define WORD 8u

static WH_WRITTEN uint64_t used;
static const struct chunk_plane plane = {
    .table = WH_SYMBOLIC_TABLE_BASE,
    .chunks = WH_SYMBOLIC_CHUNKS_BASE,
    .size = WH_SYMBOLIC_CHUNKS_SIZE,
    .chunk_shift = WH_SYMBOLIC_CHUNK_SHIFT,
    .cell_shift = WH_SYMBOLIC_CELL_SHIFT,
    .slack = WH_SYMBOLIC_CHUNK_SLACK << WH_SYMBOLIC_CELL_SHIFT,
    .used = &used,
};

long memory_init(uintptr_t *begin, size_t *size) { return chunks_reserve(&plane, begin, size); }

static uint32_t *cell_of(uintptr_t at, int make) { return chunk_cell(&plane, at, make); }

void memory_prepare(uintptr_t at) { cell_of(at, 1); }

/* Bytes from `at` to the end of its chunk, at most `size`. */
static size_t in_chunk(uintptr_t at, size_t size) {
    size_t left = CHUNK - (at & (CHUNK - 1));
    return left < size ? left : size;
}

int memory_is_plain(uintptr_t at, size_t size) {
    for (size_t done = 0; done < size; done += in_chunk(at + done, size - done))
        if (chunk_of(&plane, at + done, 0)) return 0;
    return 1;
}

int memory_marks(uintptr_t at, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const uint32_t *cell = cell_of(at + i, 0);
        if (cell && *cell) return 1;
    }
    return 0;
}

/* ---- loads ---- */

static uint32_t number_in(uint32_t cell) { return cell >> WH_SYMBOLIC_CELL_PART_BITS; }

static uint32_t word_of(uint32_t number, unsigned part) {
    return number ? number << WH_SYMBOLIC_CELL_PART_BITS | part : 0;
}

/* A word, that of an element of an array by the element's expression. */
static uint32_t resolved(uint32_t word) {
    uint32_t number = number_in(word);
    return arrays_hold(number) ? word_of(arrays_element(number), word & PART) : word;
}

/* The word of a byte that holds `value`; 0 if it does not count. */
static uint32_t valid(uintptr_t at, uint8_t value) {
    uint32_t *cell = cell_of(at, 0);
    if (!cell || !*cell) return 0;
    uint32_t word = resolved(*cell);
    if (word && (uint8_t)(expression_at(number_in(word))->value >> 8 * (word & PART)) == value)
        return word;
    *cell = 0;
    return 0;
}

/* How many of `count` words belong together: parts of one expression, or all concrete. */
static unsigned run_of(const uint32_t *cells, unsigned count) {
    unsigned run = 1;
    while (run < count && cells[run] == (*cells ? *cells + run : 0)) run++;
    return run;
}

static uint32_t piece(uint32_t cell, unsigned run, uint64_t value) {
    if (!cell) return expression_constant(8 * run, value);
    return expression_extract(number_in(cell), 8 * (cell & PART), 8 * run);
}

static uint32_t joined(const uint32_t *cells, unsigned size, uint64_t value) {
    uint32_t all = 0;
    for (unsigned at = 0; at < size;) {
        unsigned run = run_of(cells + at, size - at);
        uint32_t high = piece(cells[at], run, value >> 8 * at);
        at += run;
        all = all ? expression_make(WH_OP_CONCAT, 8 * at, high, all, 0, 0) : high;
        if (!all) return 0;
    }
    return all;
}

uint32_t memory_load(uintptr_t at, unsigned size, uint64_t value) {
    uint32_t cells[WORD], any = 0;
    for (unsigned i = 0; i < size; i++) any |= cells[i] = valid(at + i, (uint8_t)(value >> 8 * i));
    return any ? joined(cells, size, value) : 0;
}

uint32_t memory_byte(uintptr_t at) {
    uint32_t *cell = cell_of(at, 0);
    return cell && *cell ? memory_load(at, 1, *(const uint8_t *)at) : 0;
}

/* ---- stores ---- */

void memory_store(uintptr_t at, unsigned size, uint32_t expression) {
    uint32_t word = expression_varies(expression) ? expression_resized(expression, 8 * size) : 0;
    for (unsigned i = 0; i < size; i++) {
        uint32_t *cell = cell_of(at + i, word != 0);
        if (cell) *cell = word_of(word, i);
    }
}

void memory_mark(uintptr_t at, unsigned size, uint32_t number) {
    for (unsigned i = 0; i < size; i++) {
        uint32_t *cell = cell_of(at + i, 1);
        if (cell && *cell != word_of(number, i)) *cell = word_of(number, i);
    }
}

unsigned memory_marked(uintptr_t at, unsigned size, uint32_t number) {
    unsigned count = 0;
    for (unsigned i = 0; i < size; i++) {
        const uint32_t *cell = cell_of(at + i, 0);
        count += cell && *cell == word_of(number, i);
    }
    return count;
}

void memory_unmark(uintptr_t at, unsigned size, uint32_t number, uint32_t expression) {
    for (unsigned i = 0; i < size; i++) {
        uint32_t *cell = cell_of(at + i, 0);
        if (cell && *cell == word_of(number, i)) *cell = word_of(expression, i);
    }
}

void memory_clear(uintptr_t at, size_t size) {
    for (size_t part; size; at += part, size -= part) {
        part = in_chunk(at, size);
        uint32_t *cells = cell_of(at, 0);
        for (size_t i = 0; cells && i < part; i++)
            if (cells[i]) cells[i] = 0;
    }
}

static void copy_one(uintptr_t to, uintptr_t from) {
    const uint32_t *source = cell_of(from, 0);
    uint32_t word = source ? resolved(*source) : 0, *target = cell_of(to, word != 0);
    if (target && *target != word) *target = word;
}

void memory_copy(uintptr_t to, uintptr_t from, size_t size) {
    if (to == from || (memory_is_plain(to, size) && memory_is_plain(from, size))) return;
    if (to < from)
        for (size_t i = 0; i < size; i++) copy_one(to + i, from + i);
    else
        for (size_t i = size; i-- > 0;) copy_one(to + i, from + i);
}

/* ---- binding ---- */

void memory_bind(uintptr_t at, size_t size, unsigned reason, uint64_t pc) {
    if (memory_is_plain(at, size)) return;
    for (size_t i = 0; i < size; i++) {
        uint32_t *cell = cell_of(at + i, 0);
        if (!cell || !*cell) continue;
        uint32_t expression = memory_byte(at + i);
        if (expression) decision_bind(expression, reason, pc);
        *cell = 0;
    }
}
