#include "expressions.h"
#include "fold.h"
#include "trace.h"
#include "../os/mem.h"
#include "../os/os.h"

#define EXPRESSIONS ((struct expression *)WH_SYMBOLIC_EXPRESSIONS_BASE)
#define SIZE (WH_SYMBOLIC_EXPRESSIONS_MOST * sizeof(struct expression))
/* Numbers by their hash, 0: none. */
#define INDEX ((uint32_t *)(WH_SYMBOLIC_EXPRESSIONS_BASE + SIZE))
#define INDEX_COUNT (2u * WH_SYMBOLIC_EXPRESSIONS_MOST)
#define INDEX_FIRST 1024u

static WH_WRITTEN uint32_t used;
/* Entries of the index that are in use, a power of two. It grows, so that a path with few
 * expressions touches few pages. */
static WH_WRITTEN uint32_t capacity = INDEX_FIRST;

long expressions_init(uintptr_t *begin, size_t *size) {
    *begin = WH_SYMBOLIC_EXPRESSIONS_BASE;
    *size = SIZE + INDEX_COUNT * sizeof(uint32_t);
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

void expressions_prepare(void) {
    *(volatile uint32_t *)INDEX = 0;
    ((volatile struct expression *)EXPRESSIONS)->op = 0;
}

struct expression *expression_at(uint32_t number) { return &EXPRESSIONS[number]; }

int expression_varies(uint32_t number) {
    return number && EXPRESSIONS[number].op != EXPRESSION_CONSTANT;
}

static uint64_t hash_of(const struct expression *wanted) {
    uint64_t hash = wanted->a * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ hash >> 29 ^ wanted->b) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 32 ^ wanted->c) * 0x94D049BB133111EBull;
    hash ^= (uint64_t)wanted->op << 48 ^ (uint64_t)wanted->width << 40 ^
            (uint64_t)wanted->parameter << 32;
    if (wanted->op == EXPRESSION_CONSTANT) hash ^= wanted->value;
    hash *= 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 31;
}

static int is_same(const struct expression *known, const struct expression *wanted) {
    return known->op == wanted->op && known->width == wanted->width && known->a == wanted->a &&
           known->b == wanted->b && known->c == wanted->c &&
           known->parameter == wanted->parameter &&
           (wanted->op != EXPRESSION_CONSTANT || known->value == wanted->value);
}

static void write_out(uint32_t number, const struct expression *made) {
    if (made->op == EXPRESSION_CONSTANT) {
        trace_put(WH_TRACE_CONSTANT, 0, made->width, number, 1, (uint64_t[]){made->value});
    } else if (made->op == EXPRESSION_INPUT) {
        uint64_t place = (uint64_t)made->b << 32 | made->a;
        trace_put(WH_TRACE_INPUT, 0, made->width, number, 1, (uint64_t[]){place});
    } else if (made->op == WH_OP_LOOKUP) {
        uint64_t operands[] = {made->a, (uint64_t)made->c << 32};
        trace_put(WH_TRACE_NODE, made->op, made->width, number, 2, operands);
    } else {
        uint64_t operands[] = {(uint64_t)made->b << 32 | made->a,
                               (uint64_t)made->parameter << 32 | made->c};
        trace_put(WH_TRACE_NODE, made->op, made->width, number, 2, operands);
    }
}

/* Where the number of an equal expression stands, or is to stand. */
static uint32_t *entry_of(const struct expression *wanted) {
    for (uint64_t i = hash_of(wanted);; i++) {
        uint32_t *entry = &INDEX[i % capacity];
        if (!*entry || is_same(&EXPRESSIONS[*entry], wanted)) return entry;
    }
}

static void grow(void) {
    wh_fill(INDEX, 0, capacity * sizeof *INDEX);
    capacity *= 2;
    for (uint32_t number = 1; number <= used; number++) *entry_of(&EXPRESSIONS[number]) = number;
}

/* The number of an equal expression, which is added if there is none. The trace is locked. */
static uint32_t find(const struct expression *wanted) {
    uint32_t *entry = entry_of(wanted);
    if (*entry) return *entry;
    if (used + 1 >= WH_SYMBOLIC_EXPRESSIONS_MOST) return 0;
    if (2 * (used + 1) > capacity) {
        grow();
        entry = entry_of(wanted);
    }
    EXPRESSIONS[++used] = *wanted;
    *entry = used;
    write_out(used, wanted);
    return used;
}

static uint32_t number_of(const struct expression *wanted) {
    if (!trace_lock()) return 0;
    uint32_t number = find(wanted);
    trace_unlock();
    return number;
}

uint32_t expression_constant(unsigned width, uint64_t value) {
    struct expression wanted = {
        .value = value & fold_mask(width), .width = (uint8_t)width, .op = EXPRESSION_CONSTANT};
    return number_of(&wanted);
}

uint32_t expression_input(uint32_t object, uint32_t offset, uint8_t value) {
    struct expression wanted = {
        .value = value, .a = object, .b = offset, .width = 8, .op = EXPRESSION_INPUT};
    return number_of(&wanted);
}

uint32_t expression_make(unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c,
                         unsigned parameter) {
    if (!a) return 0;
    uint32_t simpler = fold_simpler(op, width, a, b, parameter);
    if (simpler) return simpler;
    struct expression wanted = {.a = a,
                                .b = b,
                                .c = c,
                                .width = (uint8_t)width,
                                .op = (uint8_t)op,
                                .parameter = (uint8_t)parameter};
    wanted.value = fold_value(&wanted);
    int varies = expression_varies(a) || expression_varies(b) || expression_varies(c);
    return varies ? number_of(&wanted) : expression_constant(width, wanted.value);
}

uint32_t expression_lookup(uint32_t a, uint32_t table, unsigned width, uint64_t value) {
    struct expression wanted = {
        .value = value, .a = a, .c = table, .width = (uint8_t)width, .op = WH_OP_LOOKUP};
    return number_of(&wanted);
}

uint32_t expression_resized(uint32_t a, unsigned width) {
    unsigned from = a ? expression_at(a)->width : width;
    if (from == width) return a;
    return from > width ? expression_extract(a, 0, width)
                        : expression_make(WH_OP_ZEXT, width, a, 0, 0, 0);
}

uint32_t expression_not(uint32_t a) {
    return a ? expression_make(WH_OP_NOT, expression_at(a)->width, a, 0, 0, 0) : 0;
}
