/* The undefined bits of memory where a tool executes the program: each byte of memory has one with
 * them in the plane of values, which the tool's code reads and writes (whence.abi.observed). What
 * definedness/ keeps in fill words and details is here.
 *
 * The tool takes all that the C library and the runtime write for defined. So a copy that a
 * function of theirs makes gets its bits when it is made: the tool keeps them until the runtime
 * returns to the program. */
#include "observed.h"
#include "../planes/observed.h"
#include "../definedness/elements.h"
#include "../definedness/granule.h"
#include "../definedness/origin.h"
#include "../definedness/ranges.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/tool.h"
#include "../stacks/depot.h"
#include "whence/rules.h"

uint32_t values_on;

/* ---- planes ---- */

static uint8_t *bits_at(uintptr_t address) {
    return (uint8_t *)((address ^ WH_OBSERVED_VALUES_FLIP) + WH_OBSERVED_VALUES_SKEW);
}

static uint32_t *tag_at(uintptr_t address) {
    return (uint32_t *)(((address / WH_GRANULE * sizeof(uint32_t)) ^ WH_OBSERVED_TAGS_FLIP) +
                        WH_OBSERVED_TAGS_SKEW);
}

static uint32_t *writer_at(uintptr_t address) {
    return (uint32_t *)(((address / WH_GRANULE * sizeof(uint32_t)) ^ WH_OBSERVED_WRITERS_FLIP) +
                        WH_OBSERVED_WRITERS_SKEW);
}

static const struct whence_bounds reserved[] = {
    {OBSERVED_LOW_BITS, WH_OBSERVED_VALUES_LOW},
    {OBSERVED_HIGH_BITS, OBSERVED_HIGH_SIZE},
    {OBSERVED_LAST_BITS, OBSERVED_LAST_SIZE},
    {OBSERVED_LOW_TAGS, WH_OBSERVED_VALUES_LOW / 2},
    {OBSERVED_HIGH_TAGS, OBSERVED_HIGH_SIZE / 2},
    {OBSERVED_LOW_WRITERS, WH_OBSERVED_WRITERS_LOW / 2},
    {OBSERVED_HIGH_WRITERS, (WH_OBSERVED_VALUES_END - WH_OBSERVED_WRITERS_BEGIN) / 2},
};

long values_init(uintptr_t *begin, size_t *size) {
    if (values_on) return 0;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        *begin = reserved[i].begin;
        *size = reserved[i].size;
        long result = os_reserve(*begin, *size, OS_READ_WRITE);
        if (result < 0) return result;
    }
    __atomic_store_n(&values_on, 1, __ATOMIC_RELEASE);
    observed_follow();
    return 0;
}

static int is_covered(uintptr_t address, uint64_t size) {
    if (!VALUES_ON || address + size < address) return 0;
    return address + size <= WH_OBSERVED_VALUES_LOW ||
           (address >= WH_OBSERVED_VALUES_BEGIN && address + size <= WH_OBSERVED_VALUES_END);
}

/* ---- tags ---- */

/* A stack has addresses behind calls, of which the symbolizer looks at the byte before. */
static uint64_t origin_of_place(uint64_t place) {
    uint64_t pc = place + 1;
    return place ? origin_of_stack(depot_put(&pc, 1, depot_hash_step(DEPOT_HASH_INIT, pc))) : 0;
}

uint64_t observed_origin(uint32_t tag) {
    if (tag & WH_OBSERVED_TAG_PLACE) return origin_of_place(tool_ask(WH_REQUEST_PLACE, tag, 0));
    return tag ? origin_of_stack(tag) : 0;
}

static void set_tags(uintptr_t address, uint64_t size, uint64_t origin) {
    uint32_t tag = origin_stack(origin);
    for (uint32_t *at = tag_at(address); at <= tag_at(address + size - 1); at++) *at = tag;
}

/* ---- values ---- */

static uint64_t first_bits(uintptr_t address, uint64_t size) {
    const uint8_t *bits = bits_at(address);
    uint64_t at = 0;
    for (; at + 8 <= size && !*(const wh_word *)(bits + at); at += 8);
    while (at < size && !bits[at]) at++;
    return at;
}

int values_are_defined(uintptr_t address, uint64_t size) {
    return !is_covered(address, size) || first_bits(address, size) == size;
}

uintptr_t values_first(uintptr_t address, uint64_t size) {
    return is_covered(address, size) ? address + first_bits(address, size) : address + size;
}

void observed_read_bits(uintptr_t address, uint64_t size, uint8_t *bits) {
    for (uint64_t i = 0; i < size; i++)
        bits[i] = is_covered(address, size) ? *bits_at(address + i) : 0;
}

void observed_write_bits(uintptr_t address, uint64_t size, const uint8_t *bits) {
    for (uint64_t i = 0; is_covered(address, size) && i < size; i++)
        *bits_at(address + i) = bits[i];
}

uint64_t values_unwritten(uintptr_t address, uint64_t size, uint64_t *origin) {
    uint64_t count = 0;
    for (uint64_t i = 0; is_covered(address, size) && i < size; i++) {
        if (*bits_at(address + i) != 0xff) continue;
        if (!count++) *origin = observed_origin(*tag_at(address + i));
    }
    return count;
}

struct whence_bits __whence_value_load(uint64_t address, uint64_t size) {
    struct whence_bits result = {0, 0};
    if (!is_covered(address, size)) return result;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t bits = *bits_at(address + i);
        if (bits && !result.bits) result.origin = observed_origin(*tag_at(address + i));
        result.bits |= bits << (8 * i);
    }
    return result;
}

void __whence_value_store(uint64_t address, uint64_t size, uint64_t bits, uint64_t origin) {
    if (!is_covered(address, size)) return;
    for (uint64_t i = 0; i < size; i++) *bits_at(address + i) = (uint8_t)(bits >> (8 * i));
    if (bits) set_tags(address, size, origin);
}

/* The program has not stored there last. */
static void forget_writers(uintptr_t address, uint64_t size) {
    if (address + size > WH_OBSERVED_WRITERS_LOW && address < WH_OBSERVED_WRITERS_BEGIN) return;
    for (volatile uint32_t *at = writer_at(address); at <= writer_at(address + size - 1); at++)
        *at = 0;
}

/* From this many bytes on, the tool marks them sooner than single stores do. */
#define ASKED 512u

static void ask_mark(uintptr_t address, uint64_t size, uint64_t tag) {
    uint64_t words[] = {address, size, tag};
    tool_ask(WH_REQUEST_MARK, (uint64_t)words, 0);
}

static void mark(uintptr_t address, uint64_t size, uint8_t bits) {
    uint8_t *at = bits_at(address), *end = at + size;
    uint64_t all = 0x0101010101010101ull * bits;
    for (; end - at >= 8; at += 8) *(volatile wh_word *)at = all;
    for (; at < end; at++) *(volatile uint8_t *)at = bits;
}

void __whence_value_define(uint64_t address, uint64_t size) {
    if (!size || !is_covered(address, size)) return;
    if (size >= ASKED) {
        ask_mark(address, size, 0);
        return;
    }
    mark(address, size, 0);
    forget_writers(address, size);
}

/* What the memory holds stays: nothing tells it from other memory but the plane. */
void values_forget(uintptr_t address, uint64_t size, uint64_t origin) {
    if (!size || !is_covered(address, size)) return;
    if (size >= ASKED) {
        ask_mark(address, size, origin_stack(origin) | 1ull << 32);
        return;
    }
    mark(address, size, 0xff);
    set_tags(address, size, origin);
    forget_writers(address, size);
}

void __whence_value_undefine(uint64_t address, uint64_t size, uint64_t origin) {
    values_forget(address, size, origin);
}

void granule_filled(uintptr_t begin, uint64_t size, uint64_t origin) {
    (void)begin, (void)size, (void)origin;
}

void granules_settle(void) {} /* the tool's bits are those of all threads */

/* ---- copies ---- */

void __whence_value_copy(uint64_t to, uint64_t from, uint64_t size) {
    uint64_t words[] = {to, from, size};
    if (!size || to == from || values_are_defined(from, size)) return;
    tool_ask(WH_REQUEST_COPY, (uint64_t)words, 0);
}

void values_copied(uintptr_t to, uintptr_t from, uint64_t size) {
    if (!is_covered(to, size) || !is_covered(from, size)) return;
    for (uint64_t i = 0; i < size; i++) {
        *bits_at(to + i) = *bits_at(from + i);
        if (*bits_at(from + i)) *tag_at(to + i) = *tag_at(from + i);
    }
}
