#include "tables.h"
#include "arrays.h"
#include "decisions.h"
#include "expressions.h"
#include "memory.h"
#include "parts.h"
#include "trace.h"
#include "../blocks/block.h"
#include "../os/os.h"
#include "../planes/planes.h"

#include <ctype.h>

/* Elements of objects whose loads stay symbolic. */
#define MOST_LOADED (REACH_MOST_BYTES / 8)

/* ---- objects ---- */

/* The tables of ctype.h begin before what these functions return, at -128. */
static struct whence_bounds character_table(uintptr_t at) {
    const struct {
        uintptr_t middle, width;
    } tables[] = {{(uintptr_t)*__ctype_b_loc(), sizeof(unsigned short)},
                  {(uintptr_t)*__ctype_tolower_loc(), sizeof(int32_t)},
                  {(uintptr_t)*__ctype_toupper_loc(), sizeof(int32_t)}};
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct whence_bounds table = {tables[i].middle - 128 * tables[i].width,
                                      384 * tables[i].width};
        if (at - table.begin < table.size) return table;
    }
    return (struct whence_bounds){0, 0};
}

static struct whence_bounds object_of(const struct reach *reach) {
    if (reach->extent && reach->at - reach->root < reach->extent)
        return (struct whence_bounds){reach->root, reach->extent};
    struct whence_bounds block = blocks_live_range(reach->at);
    return block.size ? block : character_table(reach->at);
}

/* For memory of no block, such as that of the command line: accesses that begin in the same page.
 */
static struct whence_bounds page_of(const struct reach *reach) {
    uintptr_t at = reach->at, size = reach->size ? reach->size : 1;
    struct whence_bounds none = {0, 0};
    if (!plane_covers(at) || !plane_covers(at + size) || at + size < at) return none;
    if (plane_first_bad(at, size) != at + size) return none;
    if (!os_readable_word(at) || !os_readable_word(at + size - 1)) return none;
    return (struct whence_bounds){wh_round_down(at, OS_PAGE), OS_PAGE + size - 1};
}

void reach_say(const struct reach *reach, unsigned how) {
    if (!expression_varies(reach->address)) return;
    struct whence_bounds object = object_of(reach);
    unsigned parts = object.size ? parts_say(object, how) : 0;
    if (!object.size) object = page_of(reach);
    decision_access(reach->address, reach->at, reach->size, how, object, parts, reach->pc);
}

/* ---- elements ---- */

/* The object as elements of the access's size; none if that cannot be. */
static struct elements elements_of(const struct reach *reach, uint64_t most) {
    struct whence_bounds object = object_of(reach);
    uint64_t size = reach->size, before = (reach->at - object.begin) % (size ? size : 1);
    struct elements elements = {object.begin + before, 0, size};
    if (!size || size > 8 || size & (size - 1)) return elements;
    if (reach->at - object.begin + size > object.size) return elements;
    elements.count = (object.size - before) / size;
    if (elements.count > most) elements.count = 0;
    return elements;
}

/* Lowest bits that are 0 whatever the input is. */
static unsigned low_zeros(uint32_t number) {
    const struct expression *of = expression_at(number);
    unsigned a, b;
    switch (of->op) {
    case EXPRESSION_CONSTANT: return of->value ? (unsigned)__builtin_ctzll(of->value) : of->width;
    case WH_OP_ZEXT:
    case WH_OP_SEXT: return low_zeros(of->a);
    case WH_OP_ADD:
    case WH_OP_SUB: return (a = low_zeros(of->a)) < (b = low_zeros(of->b)) ? a : b;
    case WH_OP_MUL: return low_zeros(of->a) + low_zeros(of->b);
    case WH_OP_SHL:
        b = expression_varies(of->b) ? 0 : (unsigned)expression_at(of->b)->value;
        return low_zeros(of->a) + (b < 64 ? b : 64);
    default: return 0;
    }
}

/* Whether the address is that of an element is decided. */
static void decide_alignment(const struct reach *reach, uintptr_t first) {
    unsigned bits = (unsigned)__builtin_ctzll(reach->size);
    uint32_t begin = bits ? expression_constant(64, first) : 0;
    uint32_t at = begin ? expression_make(WH_OP_SUB, 64, reach->address, begin, 0, 0) : 0;
    if (at && low_zeros(at) >= bits) return;
    uint32_t low = at ? expression_extract(at, 0, bits) : 0;
    uint32_t zero = low ? expression_constant(bits, 0) : 0;
    if (zero) decision_branch(expression_make(WH_OP_EQ, 1, low, zero, 0, 0), 1, reach->pc);
}

static uint64_t word_at(uintptr_t at, uint64_t size) {
    uint64_t value = 0;
    wh_copy(&value, (const void *)at, size);
    return value;
}

/* The expression of an element, a constant if it is concrete. array: as it was before its stores;
 * NULL: as it is. */
static uint32_t element(const struct elements *elements, uint64_t i, const struct array *array) {
    uint64_t size = elements->size;
    uintptr_t at = elements->first + i * size;
    uint64_t value = word_at(array ? (uintptr_t)array->before + i * size : at, size);
    uint32_t number = array ? array->of[i].before : memory_load(at, (unsigned)size, value);
    return number ? number : expression_constant(8 * (unsigned)size, value);
}

/* ---- tables ---- */

/* Elements that are all concrete are written to the trace once. written: where they stand there. */
struct table {
    struct elements elements;
    const char *written;
    uint32_t number;
};
#define TABLES_MOST 64u /* of which an equal one is found */
static struct table tables[TABLES_MOST];
static uint32_t table_count;

static int is_equal(const void *a, const void *b, uint64_t size) {
    return __builtin_memcmp(a, b, size) == 0;
}

/* data: what the elements hold. */
static const struct table *equal_table(const struct elements *elements, const char *data) {
    for (uint32_t i = 0; i < table_count && i < TABLES_MOST; i++) {
        const struct table *each = &tables[i];
        if (each->elements.first == elements->first && each->elements.count == elements->count &&
            each->elements.size == elements->size &&
            is_equal(each->written, data, elements->count * elements->size))
            return each;
    }
    return NULL;
}

/* The trace is locked. */
static uint32_t table_of(const struct elements *elements, const char *data) {
    const struct table *known = equal_table(elements, data);
    if (known) return known->number;
    uint32_t number = table_count++;
    uint64_t operands[] = {elements->first, elements->count << 32 | elements->size};
    const char *written =
        trace_put_text(WH_TRACE_TABLE, number, 2, operands, data, elements->count * elements->size);
    tables[number % TABLES_MOST] = (struct table){*elements, written, number};
    return number;
}

/* Elements of which none varies; 0 where no expression can be made. */
static uint32_t looked_up(const struct reach *reach, const struct elements *elements,
                          const char *data) {
    uint64_t size = elements->size;
    uint64_t value = word_at((uintptr_t)data + (reach->at - elements->first), size);
    if (is_equal(data, data + size, (elements->count - 1) * size))
        return expression_constant(8 * (unsigned)size, value);
    if (!trace_lock()) return 0;
    uint32_t table = table_of(elements, data);
    trace_unlock();
    return expression_lookup(reach->address, table, 8 * (unsigned)size, value);
}

/* ---- loads ---- */

/* A run of equal elements: its first address, and the expression. */
struct run {
    uintptr_t from;
    uint32_t number;
};

static uint32_t runs_of(const struct elements *elements, const struct array *array,
                        struct run *runs) {
    uint32_t count = 0;
    for (uint64_t i = 0; i < elements->count; i++) {
        uint32_t number = element(elements, i, array);
        if (!number) return 0;
        if (!count || runs[count - 1].number != number)
            runs[count++] = (struct run){elements->first + i * elements->size, number};
    }
    return count;
}

/* A search by halves, as nested choices. */
static uint32_t chosen(const struct run *runs, uint32_t count, uint32_t address) {
    if (count == 1) return runs->number;
    uint32_t half = count / 2;
    uint32_t low = chosen(runs, half, address), high = chosen(runs + half, count - half, address);
    uint32_t bound = expression_constant(64, runs[half].from);
    uint32_t below = bound ? expression_make(WH_OP_ULT, 1, address, bound, 0, 0) : 0;
    if (!low || !high || !below) return 0;
    return expression_make(WH_OP_ITE, expression_at(low)->width, below, low, high, 0);
}

static void bind(const struct reach *reach) {
    decision_bind(reach->address, WH_REASON_ADDRESS, reach->pc);
}

static uint32_t nested(const struct reach *reach, const struct elements *elements,
                       const struct array *array) {
    struct run runs[MOST_LOADED];
    uint32_t count = runs_of(elements, array, runs);
    return count ? chosen(runs, count, reach->address) : 0;
}

static uint32_t before_stores(const struct array *array, const struct reach *reach) {
    const struct elements *elements = &array->elements;
    uint32_t varies = 0;
    for (uint64_t i = 0; i < elements->count; i++) varies |= array->of[i].before;
    return varies ? nested(reach, elements, array)
                  : looked_up(reach, elements, (const char *)array->before);
}

static uint32_t loaded(const struct reach *reach, const struct elements *elements) {
    if (!memory_marks(elements->first, elements->count * elements->size))
        return looked_up(reach, elements, (const char *)elements->first);
    uint32_t number = arrays_load(elements, reach, before_stores);
    return number ? number : nested(reach, elements, NULL);
}

uint32_t reach_load(const struct reach *reach, uint64_t value) {
    struct elements elements = elements_of(reach, MOST_LOADED);
    uint32_t number = elements.count ? loaded(reach, &elements) : 0;
    if (number && expression_at(number)->value == value) {
        decide_alignment(reach, elements.first);
        return number;
    }
    bind(reach);
    return memory_load(reach->at, (unsigned)reach->size, value);
}

/* ---- stores ---- */

int reach_store(const struct reach *reach, uint32_t expression, uint64_t value) {
    struct elements elements = elements_of(reach, ARRAYS_ELEMENTS);
    unsigned width = 8 * (unsigned)reach->size;
    if (!elements.count) return 0;
    uint32_t stored =
        expression ? expression_resized(expression, width) : expression_constant(width, value);
    if (!stored || !arrays_store(&elements, reach, stored)) return 0;
    decide_alignment(reach, elements.first);
    return 1;
}
