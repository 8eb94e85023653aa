/* modules: symbolic/arrays symbolic/border symbolic/covered symbolic/decisions symbolic/derived symbolic/expressions symbolic/fold symbolic/memory symbolic/numbers symbolic/parts symbolic/sites symbolic/strings symbolic/tables symbolic/trace blocks/block blocks/blocks blocks/claims planes/planes os/os os/text */
#include <ctype.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../runtime/include/whence/symbolic.h"
#include "../../../runtime/planes/planes.h"
#include "../../../runtime/process/images.h"
#include "../../../runtime/symbolic/covered.h"
#include "../../../runtime/symbolic/decisions.h"
#include "../../../runtime/symbolic/fold.h"
#include "../../../runtime/symbolic/memory.h"
#include "../../../runtime/symbolic/parts.h"
#include "../../../runtime/symbolic/tables.h"
#include "../../../runtime/symbolic/trace.h"
#include "../../../runtime/definedness/ranges.h"
#include "unit.h"

#define SIZE 64u

uint32_t images_place(uint64_t *pc) {
    *pc &= 0xffff;
    return 0;
}

/* One byte has never been written. */
uint32_t values_on;
static uintptr_t unwritten;
uintptr_t values_first(uintptr_t address, uint64_t size) {
    return unwritten - address < size ? unwritten : address + size;
}

void __whence_symbolic_shares(uintptr_t begin, uintptr_t end);
void __whence_symbolic_of_strcmp(const char *a, const char *b);
uint32_t __whence_symbolic_after_strcmp(const char *a, const char *b, int result);
void __whence_symbolic_of_strstr(const char *s, const char *wanted);
void __whence_symbolic_of_strspn(const char *s, const char *set);
void __whence_symbolic_of_strtol(const char *text, char **end, int base);
uint32_t __whence_symbolic_after_strtol(const char *text, char **end, int base, long result);

static char bytes[SIZE + 8];
static int trace;

static void begin(void) {
    uintptr_t at;
    size_t size;
    CHECK(planes_init(&at, &size) >= 0);
    CHECK(memory_init(&at, &size) >= 0);
    CHECK(expressions_init(&at, &size) >= 0);
    trace = memfd_create("trace", 0);
    CHECK(ftruncate(trace, WH_TRACE_SIZE) == 0);
    CHECK(!trace_lock() && trace_map(trace));
    trace_open();
    CHECK(trace_lock());
    CHECK(!trace_lock());
    trace_unlock();
}

static uint32_t input(uint32_t at, uint8_t value) { return expression_input(0, at, value); }

/* ---- the trace, record by record ---- */

static unsigned count_of(unsigned kind, unsigned op) {
    struct wh_trace_header *header = mmap(NULL, WH_TRACE_SIZE, PROT_READ, MAP_SHARED, trace, 0);
    static const unsigned operands[] = {
        [WH_TRACE_INPUT] = 1,  [WH_TRACE_CONSTANT] = 1, [WH_TRACE_NODE] = 2,
        [WH_TRACE_BRANCH] = 1, [WH_TRACE_SWITCH] = 2,   [WH_TRACE_CONCRETE] = 2,
        [WH_TRACE_ACCESS] = 5, [WH_TRACE_CHECK] = 1,    [WH_TRACE_ASSUME] = 1,
        [WH_TRACE_END] = 1,    [WH_TRACE_SITE] = 2,     [WH_TRACE_TABLE] = 2,
        [WH_TRACE_PART] = 2,   [WH_TRACE_STEP] = 3};
    const uint64_t *words = (const uint64_t *)header;
    unsigned found = 0;
    for (uint64_t at = WH_TRACE_HEADER_SIZE / 8; at < header->used / 8;) {
        unsigned of = words[at] & 0xff;
        CHECK(of < sizeof operands / sizeof *operands && operands[of]);
        found += of == kind && (words[at] >> 8 & 0xff) == op;
        at += 1 + operands[of];
        if (of == WH_TRACE_TABLE) /* its elements follow, so many of so many bytes */
            at += ((words[at - 1] >> 32) * (uint32_t)words[at - 1] + 7) / 8;
    }
    munmap(header, WH_TRACE_SIZE);
    return found;
}

static void check_consistent(void) {
    CHECK_EQUAL(count_of(WH_TRACE_CONCRETE, WH_REASON_INCONSISTENT), 0);
}

/* ---- tests ---- */

static void test_equal_expressions_are_one(void) {
    uint32_t a = input(0, 200), b = input(1, 100), nine = expression_constant(8, 9);
    CHECK_EQUAL(a, input(0, 200));
    uint32_t sum = expression_make(WH_OP_ADD, 8, a, b, 0, 0);
    CHECK_EQUAL(sum, expression_make(WH_OP_ADD, 8, a, b, 0, 0));
    CHECK_EQUAL(expression_at(sum)->value, 300 & 0xff);
    CHECK(sum != expression_make(WH_OP_SUB, 8, a, b, 0, 0));
    CHECK_EQUAL(expression_make(WH_OP_MUL, 8, nine, nine, 0, 0), expression_constant(8, 81));
    CHECK(!expression_varies(nine) && expression_varies(sum) && !expression_varies(0));
}

static void test_simpler(void) {
    uint32_t a = input(0, 200), wide = expression_resized(a, 32);
    CHECK_EQUAL(expression_resized(wide, 8), a);
    CHECK_EQUAL(expression_extract(wide, 8, 8), expression_constant(8, 0));
    CHECK_EQUAL(expression_resized(wide, 64), expression_resized(a, 64));
    uint32_t both = expression_make(WH_OP_CONCAT, 16, a, input(1, 100), 0, 0);
    CHECK_EQUAL(expression_at(both)->value, 200 << 8 | 100);
    CHECK_EQUAL(expression_extract(both, 8, 8), a);
    CHECK_EQUAL(expression_extract(both, 0, 8), input(1, 100));
    uint32_t bit = expression_make(WH_OP_ULT, 1, a, input(1, 100), 0, 0);
    uint32_t as_int = expression_resized(bit, 32);
    CHECK_EQUAL(expression_make(WH_OP_EQ, 1, as_int, expression_constant(32, 1), 0, 0), bit);
    CHECK_EQUAL(expression_make(WH_OP_EQ, 1, as_int, expression_constant(32, 0), 0, 0),
                expression_not(bit));
    CHECK_EQUAL(expression_not(expression_not(bit)), bit);
}

static uint64_t word_of(const char *at, unsigned size) {
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

/* Whatever is stored, copied or written unseen: the expression of a load has the loaded value. */
static void test_memory(void) {
    char *at = bytes;
    for (unsigned round = 0; round < 20000; round++) {
        unsigned size = 1 + (unsigned)unit_below(8), place = (unsigned)unit_below(SIZE - 8);
        unsigned from = (unsigned)unit_below(SIZE - 8);
        uint64_t value = word_of(at + from, size);
        uint32_t number = memory_load((uintptr_t)at + from, size, value);
        if (number) CHECK_EQUAL(expression_at(number)->value, value);
        switch (unit_below(6)) {
        case 0:
            at[place] = (char)unit_random();
            memory_store((uintptr_t)at + place, 1,
                         input((uint32_t)unit_below(256), (uint8_t)at[place]));
            break;
        case 1:
            memcpy(at + place, &value, size);
            memory_store((uintptr_t)at + place, size, number);
            break;
        case 2:
            memmove(at + place, at + from, size);
            memory_copy((uintptr_t)at + place, (uintptr_t)at + from, size);
            break;
        case 3: at[place] = (char)unit_random(); break;
        case 4:
            memset(at + place, 5, size);
            memory_clear((uintptr_t)at + place, size);
            CHECK(!memory_marks((uintptr_t)at + place, size));
            break;
        default: CHECK(!number || memory_marks((uintptr_t)at + from, size));
        }
    }
    memory_bind((uintptr_t)at, SIZE, WH_REASON_UNSEEN, 1);
    CHECK(!memory_marks((uintptr_t)at, SIZE));
    check_consistent();
}

static void text(char *at, uint32_t object_offset) {
    for (unsigned i = 0; i < 6; i++) {
        at[i] = "ab1\0-x"[unit_below(6)];
        memory_store((uintptr_t)at + i, 1,
                     unit_below(3) ? input(object_offset + i, (uint8_t)at[i]) : 0);
    }
    at[6] = 0;
}

static int sign(int value) { return (value > 0) - (value < 0); }

/* What models decide is what the functions do. */
static void test_models(void) {
    char a[16], b[16], *end;
    for (unsigned round = 0; round < 2000; round++) {
        text(a, 16 * round), text(b, 16 * round + 8);
        __whence_symbolic_of_strcmp(a, b);
        int result = strcmp(a, b);
        uint32_t number = __whence_symbolic_after_strcmp(a, b, result);
        if (number) CHECK_EQUAL(expression_at(number)->value, (uint32_t)result);
        __whence_symbolic_of_strcmp(a, b);
        __whence_symbolic_after_strcmp(a, b, 100 * sign(result));
        __whence_symbolic_of_strstr(a, b);
        __whence_symbolic_of_strspn(a, b);
        int base = (int)unit_below(20);
        __whence_symbolic_of_strtol(a, &end, base);
        long value = strtol(a, &end, base);
        number = __whence_symbolic_after_strtol(a, &end, base, value);
        if (number) CHECK_EQUAL(expression_at(number)->value, (uint64_t)value);
    }
    check_consistent();
}

/* Every element that an address may mean is what the expression says of it. */
static void test_tables(void) {
    static uint16_t table[16];
    for (unsigned round = 0; round < 300; round++) {
        unsigned index = (unsigned)unit_below(16);
        table[unit_below(16)] = (uint16_t)unit_below(3);
        uint32_t offset = expression_make(
            WH_OP_MUL, 64, expression_resized(expression_input(1, round, (uint8_t)index), 64),
            expression_constant(64, 2), 0, 0);
        uint32_t address =
            expression_make(WH_OP_ADD, 64, expression_constant(64, (uintptr_t)table), offset, 0, 0);
        struct reach reach = {address, (uintptr_t)&table[index], 2, (uintptr_t)table, sizeof table,
                              1};
        uint32_t loaded = reach_load(&reach, table[index]);
        CHECK(loaded && expression_at(loaded)->value == table[index]);
        uint32_t stored = expression_resized(expression_input(2, round, 9), 16);
        CHECK(reach_store(&reach, stored, 9));
        table[index] = 9;
        CHECK_EQUAL(memory_load(reach.at, 2, 9) != 0, 1);
        if (round % 10 == 0) memory_clear((uintptr_t)table, sizeof table);
    }
    check_consistent();
}

/* A site says the line before it once, and a branch whether its condition was without a negation. */
static void test_branches(void) {
    static char lines[4];
    uint64_t first = (uintptr_t)lines, here = 0x7001;
    CHECK_EQUAL(covered_number(first), 0);
    __whence_symbolic_shares(first, first + sizeof lines);
    CHECK_EQUAL(covered_number(first), 1);
    CHECK_EQUAL(covered_number(first + 3), 4);
    CHECK_EQUAL(covered_number(first + 4) + covered_number(first - 1) + covered_number(0), 0);
    const struct wh_trace_header *header = (const void *)WH_SYMBOLIC_TRACE_BASE;
    uint32_t low = expression_input(3, 0, 3), high = expression_input(3, 1, 4);
    uint32_t a = expression_make(WH_OP_ULT, 1, low, high, 0, 0);
    uint32_t b = expression_make(WH_OP_ULE, 1, low, high, 0, 0);
    uint32_t not_a = expression_not(a);
    uint64_t used = header->used;
    decision_branch_of(not_a, 0, first + 2, here);
    decision_branch_of(b, 1, first + 2, here);
    const uint64_t *words = (const uint64_t *)((uintptr_t)header + used);
    CHECK_EQUAL(words[0] & 0xff, WH_TRACE_SITE);
    CHECK_EQUAL(words[1], 3ull << 32);
    CHECK_EQUAL(words[2], here);
    CHECK_EQUAL(words[3] & 0xffff, WH_TRACE_BRANCH | 1 << WH_TRACE_OPERATOR_SHIFT);
    CHECK_EQUAL(words[4], a);
    CHECK_EQUAL(words[5] & 0xffff, WH_TRACE_BRANCH);
    CHECK_EQUAL(words[6], 1ull << 32 | b);
    CHECK_EQUAL(header->used, used + 7 * sizeof *words);
    check_consistent();
}

/* What stands at the end belongs to the last record, whoever comes first. */
static void test_end(void) {
    trace_end(WH_END_SILENT, 3);
    trace_end(WH_END_EXIT, 0);
    CHECK_EQUAL(count_of(WH_TRACE_END, WH_END_SILENT), 1);
    CHECK_EQUAL(count_of(WH_TRACE_END, WH_END_EXIT), 0);
    trace_end_of_child(WH_END_EXIT, 0);
    CHECK(!trace_is_open());
    CHECK_EQUAL(count_of(WH_TRACE_END, WH_END_EXIT), 0);
    trace_forget();
    trace_end_of_child(WH_END_EXIT, 0);
    trace_open();
    CHECK_EQUAL(count_of(WH_TRACE_END, WH_END_SILENT) + count_of(WH_TRACE_END, WH_END_EXIT), 0);
    trace_end_of_child(WH_END_EXIT, 0);
    CHECK_EQUAL(count_of(WH_TRACE_END, WH_END_EXIT), 1);
}

static void test_parts(void) {
    static char object[64] __attribute__((aligned(8)));
    struct whence_bounds bounds = {(uintptr_t)object, sizeof object};
    CHECK_EQUAL(parts_say(bounds, WH_TRACED_READ), 0);
    plane_set(bounds.begin + 16, 16, WH_STATE_USER);
    plane_set(bounds.begin + 40, 24, WH_STATE_USER);
    *plane_state(bounds.begin + 8) = 3;
    CHECK_EQUAL(parts_say(bounds, WH_TRACED_READ), 2);
    unwritten = bounds.begin + 34;
    CHECK_EQUAL(parts_say(bounds, WH_TRACED_READ), 2);
    values_on = 1;
    CHECK_EQUAL(parts_say(bounds, WH_TRACED_READ), 3);
    CHECK_EQUAL(parts_say(bounds, WH_TRACED_WRITE), 2);
    CHECK_EQUAL(count_of(WH_TRACE_PART, WH_PART_CLOSED), 8);
    CHECK_EQUAL(count_of(WH_TRACE_PART, WH_PART_UNDEFINED), 1);
    plane_set(bounds.begin, sizeof object, WH_STATE_ADDRESSABLE);
    CHECK_EQUAL(parts_say(bounds, WH_TRACED_READ), 1);
    bounds.size = REACH_MOST_BYTES + 1;
    CHECK_EQUAL(parts_say(bounds, WH_TRACED_READ), 0);
    values_on = 0;
}

static void test_steps(void) {
    uint32_t a = expression_resized(input(0, 200), 64), ten = expression_constant(64, 10);
    uint32_t condition = expression_make(WH_OP_ULT, 1, a, ten, 0, 0);
    uint32_t what = WH_POINT_ADD | 5u << WHENCE_STEP_KNOWN_SHIFT;
    __whence_symbolic_cold_step(0, what, a, 200, 0, 7, 0, 10, 0, 0, 1);
    CHECK_EQUAL(count_of(WH_TRACE_STEP, 0), 0);
    __whence_symbolic_cold_step(condition, what, a, 200, 0, 7, 0, 10, 0, 0, 1);
    CHECK_EQUAL(count_of(WH_TRACE_STEP, 0), 1);
}

static void test_extents(void) {
    uint32_t size = expression_resized(input(3, 20), 64);
    __whence_symbolic_cold_extent(0, (uintptr_t)bytes, size, 20, 0, 1, 1);
    CHECK_EQUAL(count_of(WH_TRACE_CHECK, WH_CHECKED_EXTENT), 0); /* not in a block */
}

int main(void) {
    begin();
    test_equal_expressions_are_one();
    test_simpler();
    test_memory();
    test_models();
    test_tables();
    test_parts();
    test_steps();
    test_extents();
    test_branches();
    test_end();
    return 0;
}
