#include "ranges.h"
#include "details.h"
#include "origin.h"
#include "../os/os.h"
#include "../planes/planes.h"

uint32_t values_on;

WH_EXPORT __thread struct whence_values __whence_values __attribute__((tls_model("initial-exec")));

_Static_assert(offsetof(struct whence_values, arguments) == WHENCE_PASSED_ARGUMENTS &&
                   offsetof(struct whence_values, results) == WHENCE_PASSED_RESULTS &&
                   offsetof(struct whence_values, memory) == WHENCE_PASSED_MEMORY &&
                   offsetof(struct whence_values, sources) == WHENCE_PASSED_SOURCES &&
                   offsetof(struct whence_values, variable) == WHENCE_PASSED_VARIABLE &&
                   offsetof(struct whence_values, filled) == WHENCE_PASSED_FILLED,
               "generated code reads and writes them");

long values_init(uintptr_t *begin, size_t *size) {
    *begin = WH_DEFINED_OFFSET;
    *size = 1ull << (WH_ADDRESS_BITS - WH_GRANULE_SHIFT);
    long result = os_reserve(*begin, *size, OS_READ_WRITE);
    if (result == 0) result = details_init(begin, size);
    if (result == 0) __atomic_store_n(&values_on, 1, __ATOMIC_RELEASE);
    return result;
}

/* ---- parts of granules ---- */

static uintptr_t granule_of(uintptr_t address) { return wh_round_down(address, WH_GRANULE); }

/* The bits of the first `size` bytes of a word; at most 8. */
static uint64_t low_bytes(uint64_t size) { return size >= 8 ? ALL_BITS : (1ull << (8 * size)) - 1; }

/* The bytes of an address's granule that a range has. */
struct part {
    uintptr_t granule;
    unsigned shift; /* bits before the range */
    uint64_t size;  /* bytes */
};

static struct part part_of(uintptr_t address, uint64_t size) {
    uint64_t before = address % WH_GRANULE, most = WH_GRANULE - before;
    return (struct part){address - before, (unsigned)(8 * before), size < most ? size : most};
}

static uint8_t bytes_of(struct part part) {
    return (uint8_t)(((1u << part.size) - 1) << part.shift / 8);
}

static void change_part(struct part part, uint64_t bits, uint64_t origin, uint64_t value) {
    if (!bits && granule_define_bytes(part.granule, bytes_of(part))) return;
    uint64_t mask = low_bytes(part.size) << part.shift;
    struct change change = {mask, (bits << part.shift) & mask, origin, value};
    granule_change(part.granule, &change);
}

static int is_covered(uintptr_t address, uint64_t size) {
    return VALUES_ON && address < ADDRESS_END && size <= ADDRESS_END - address;
}

/* Whether the plane says that a part is defined, whatever the rest of its granule is. */
static int is_defined_part(struct part part) {
    uint8_t state = granule_read(part.granule);
    return state == WH_VALUES_DEFINED || (granule_is_named(state) && !(state & bytes_of(part)));
}

/* Whether all of some granules are defined. */
static int are_defined(uintptr_t granule, uintptr_t end) {
    const uint8_t *state = granule_state(granule), *last = granule_state(end);
    for (; last - state >= 8; state += 8)
        if (*(const wh_word *)state) return 0;
    return !(*(const wh_word *)state & ((1ull << (8 * (last - state))) - 1));
}

/* Granules whose states one look reads. */
#define LOOKED 8u

/* Whether one look at the states shows that the granules of a range are defined. Most ranges are
 * short, and so are most of them. */
static inline int is_seen_defined(uintptr_t address, uint64_t size) {
    uint64_t behind = (address + size - 1) / WH_GRANULE - address / WH_GRANULE;
    if (behind >= LOOKED) return 0;
    return !(*(const wh_word *)granule_state(address) << (8 * (LOOKED - 1 - behind)));
}

int values_are_defined(uintptr_t address, uint64_t size) {
    if (!size || !is_covered(address, size) || is_seen_defined(address, size)) return 1;
    struct part first = part_of(address, size);
    if (!is_defined_part(first)) return 0;
    if (first.size == size) return 1;
    uintptr_t end = address + size, last = granule_of(end - 1);
    return is_defined_part(part_of(last, end - last)) &&
           are_defined(first.granule + WH_GRANULE, last);
}

/* ---- values ---- */

/* Of up to 8 bytes. */
static struct whence_bits bits_of(uintptr_t address, uint64_t size,
                                  struct whence_bits (*find)(uintptr_t)) {
    struct whence_bits result = {0, 0};
    for (uint64_t at = 0; at < size;) {
        struct part part = part_of(address + at, size - at);
        if (!is_defined_part(part)) {
            struct whence_bits found = find(part.granule);
            uint64_t bits = found.bits >> part.shift & low_bytes(part.size);
            if (bits && !result.bits) result.origin = found.origin;
            result.bits |= bits << (8 * at);
        }
        at += part.size;
    }
    return result;
}

WH_EXPORT struct whence_bits __whence_value_load(uint64_t address, uint64_t size) {
    if (!is_covered(address, size)) return (struct whence_bits){0, 0};
    return bits_of(address, size, granule_bits);
}

WH_EXPORT void __whence_value_store(uint64_t address, uint64_t size, uint64_t bits,
                                    uint64_t origin) {
    if (!is_covered(address, size)) return;
    if (bits) values_mark(address);
    if (bits == ALL_BITS && size == WH_GRANULE && address % WH_GRANULE == 0 &&
        granule_word(address) == origin_fill(origin)) {
        granule_undefine(address);
        return;
    }
    struct part part = part_of(address, size);
    if (part.size == WH_GRANULE && granule_store(address, (struct whence_bits){bits, origin}))
        return;
    if (bits && bits == low_bytes(size) && part.granule == address && size < WH_GRANULE &&
        granule_undefine_last(address, size, origin))
        return;
    change_part(part, bits, origin, granule_word(part.granule));
    if (part.size == size) return;
    bits >>= 8 * part.size;
    part = part_of(address + part.size, size - part.size);
    change_part(part, bits, origin, granule_word(part.granule));
}

/* ---- ranges ---- */

/* Granules whose bytes are looked at together. */
#define RUN_BYTES (8 * WH_GRANULE)

/* Whether eight granules are defined. */
static int is_defined_run(uintptr_t granule) { return !*(const wh_word *)granule_state(granule); }

static void define_run(uintptr_t granule) {
    *(volatile wh_word *)granule_state(granule) = WH_VALUES_DEFINED;
}

/* From this many granules on, their bytes cost less to drop than to read. */
#define DROPPED (1ull << 18)

static void define_granules(uintptr_t granule, uintptr_t end) {
    if ((end - granule) / WH_GRANULE >= DROPPED) {
        uintptr_t first = wh_round_up((uintptr_t)granule_state(granule), OS_PAGE);
        uintptr_t last = wh_round_down((uintptr_t)granule_state(end), OS_PAGE);
        uintptr_t dropped = (first - WH_DEFINED_OFFSET) << WH_GRANULE_SHIFT;
        os_discard(first, last - first);
        define_granules(granule, dropped);
        granule = dropped + ((last - first) << WH_GRANULE_SHIFT);
    }
    while (granule < end) {
        if (end - granule >= RUN_BYTES) {
            if (!is_defined_run(granule)) define_run(granule);
            granule += RUN_BYTES;
            continue;
        }
        if (granule_read(granule)) granule_define(granule);
        granule += WH_GRANULE;
    }
}

WH_EXPORT void __whence_value_define(uint64_t address, uint64_t size) {
    if (!size || !is_covered(address, size) || is_seen_defined(address, size)) return;
    uintptr_t end = address + size;
    if (address % WH_GRANULE) {
        struct part part = part_of(address, size);
        change_part(part, 0, 0, granule_word(part.granule));
        address += part.size;
    }
    if (address >= end) return;
    uintptr_t whole = granule_of(end);
    define_granules(address, whole);
    if (whole < end) change_part(part_of(whole, end - whole), 0, 0, granule_word(whole));
}

/* Bytes of a granule that is the range's in part. What the others are is seen before the fill. */
static void undefine_part(struct part part, uint64_t origin) {
    uint64_t fill = origin_fill(origin), mask = low_bytes(part.size) << part.shift;
    volatile uint8_t *byte = (volatile uint8_t *)part.granule + part.shift / 8;
    change_part(part, ALL_BITS, origin, (granule_word(part.granule) & ~mask) | (fill & mask));
    for (unsigned i = 0; i < part.size; i++) byte[i] = (uint8_t)(fill >> part.shift >> (8 * i));
}

/* From this many on, the processor's instruction fills words sooner than single stores do. */
#define FILL_LEAST 64u

static void fill(uintptr_t begin, uintptr_t end, uint64_t word) {
    volatile wh_word *to = (volatile wh_word *)begin;
    size_t count = (end - begin) / sizeof word;
    if (count < FILL_LEAST)
        for (size_t i = 0; i < count; i++) to[i] = word;
    else
        __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(word) : "memory");
}

static void mark_undefined(uintptr_t begin, uintptr_t end) {
    uint8_t *state = granule_state(begin);
    size_t count = (end - begin) / WH_GRANULE, words = count < 1024 ? count / 8 : 0;
    wh_fill_words(state, WH_VALUES_UNDEFINED, words);
    if (count >= 1024)
        wh_fill(state, WH_VALUES_UNDEFINED, count);
    else
        for (size_t i = 8 * words; i < count; i++)
            ((volatile uint8_t *)state)[i] = WH_VALUES_UNDEFINED;
}

WH_EXPORT void __whence_value_undefine(uint64_t address, uint64_t size, uint64_t origin) {
    if (!is_covered(address, size)) return;
    values_mark(address);
    uintptr_t end = address + size;
    while (address < end) {
        struct part part = part_of(address, end - address);
        if (part.size < WH_GRANULE) {
            if (part.shift || !granule_undefine_last(part.granule, part.size, origin))
                undefine_part(part, origin);
            address += part.size;
            continue;
        }
        uintptr_t whole = granule_of(end);
        fill(address, whole, origin_fill(origin));
        mark_undefined(address, whole);
        address = whole;
    }
}

void values_forget(uintptr_t address, uint64_t size, uint64_t origin) {
    if (!is_covered(address, size)) return;
    values_mark(address);
    for (uint64_t at = 0; at < size;) {
        struct part part = part_of(address + at, size - at);
        change_part(part, ALL_BITS, origin, granule_word(part.granule));
        at += part.size;
    }
}

uintptr_t values_first(uintptr_t address, uint64_t size) {
    uintptr_t end = address + size, at = address;
    if (values_are_defined(address, size)) return end;
    while (at < end) {
        if (at % WH_GRANULE == 0 && end - at >= RUN_BYTES && is_defined_run(at)) {
            at += RUN_BYTES;
            continue;
        }
        struct part part = part_of(at, end - at);
        if (!is_defined_part(part)) {
            uint64_t bits = granule_bits(part.granule).bits >> part.shift & low_bytes(part.size);
            if (bits) return at + (unsigned)__builtin_ctzll(bits) / 8;
        }
        at += part.size;
    }
    return end;
}

static uint64_t whole_bytes(uint64_t bits) {
    uint64_t count = 0;
    for (; bits; bits >>= 8) count += (bits & 0xff) == 0xff;
    return count;
}

uint64_t values_unwritten(uintptr_t address, uint64_t size, uint64_t *origin) {
    uint64_t count = 0, end = address + size;
    for (uintptr_t at = values_first(address, size); at < end;) {
        uint64_t step = WH_GRANULE - at % WH_GRANULE;
        if (step > end - at) step = end - at;
        struct whence_bits found = __whence_value_load(at, step);
        uint64_t more = whole_bytes(found.bits);
        if (more && !count) *origin = found.origin;
        count += more;
        at += step;
        if (!found.bits) at = values_first(at, end - at);
    }
    return count;
}

WH_EXPORT uint64_t __whence_value_any(uint64_t address, uint64_t size) {
    return values_first(address, size) != address + size;
}

/* ---- bytes of several granules ---- */

#define MOST_BYTES 64u

/* Calls a function for each granule with some of the bytes, as long as it returns 0. */
static inline uint64_t each_granule(uintptr_t address, uint64_t bytes,
                                    uint64_t (*function)(uintptr_t, uint8_t)) {
    if (!is_covered(address, MOST_BYTES + WH_GRANULE)) return 0;
    unsigned before = address % WH_GRANULE;
    uintptr_t granule = address - before;
    uint64_t behind = before ? bytes >> (MOST_BYTES - before) : 0, found = 0;
    for (bytes <<= before; bytes && !found; bytes >>= WH_GRANULE, granule += WH_GRANULE)
        if (bytes & 0xff) found = function(granule, (uint8_t)bytes);
    granule = address - before + MOST_BYTES;
    return behind && !found ? function(granule, (uint8_t)behind) : found;
}

static uint64_t clear(uintptr_t granule, uint8_t bytes) {
    if (granule_read(granule)) granule_clear(granule, bytes);
    return 0;
}

WH_EXPORT void __whence_value_clear(uint64_t address, uint64_t bytes) {
    each_granule(address, bytes, clear);
}

WH_EXPORT uint64_t __whence_value_any_of(uint64_t address, uint64_t bytes) {
    return each_granule(address, bytes, granule_bits_of) != 0;
}

/* ---- copies ---- */

static uint64_t word_at(uintptr_t address) {
    return *(const volatile wh_word *)address; /* one load, at any address */
}

/* A copy, and the kinship of the blocks, which is found when it is first asked for. */
struct copying {
    uintptr_t to, from;
    uint64_t size;
    int asked, is_known;
    struct kinship kinship;
};

static int copy_named(struct copying *copying, struct part to, uintptr_t from) {
    unsigned before = from % WH_GRANULE, shift = to.shift / 8;
    if (before + to.size > WH_GRANULE) return 0;
    if (!copying->asked) {
        copying->asked = 1;
        copying->is_known =
            granule_kinship(&copying->kinship, copying->to, copying->from, copying->size);
    }
    uint8_t bytes = (uint8_t)(((1u << to.size) - 1) << shift);
    return copying->is_known &&
           granule_copy_named(to.granule, bytes, from - before, 8 * ((int)before - (int)shift),
                              &copying->kinship);
}

/* What goes into one granule. */
static void copy_part(struct copying *copying, struct part to, uintptr_t from) {
    uint8_t state = granule_read(from), last = granule_read(from + to.size - 1);
    if (!(state | last | granule_read(to.granule))) return;
    int all = to.size == WH_GRANULE, whole = all && from % WH_GRANULE == 0;
    if (all && !(state | last)) {
        granule_define(to.granule);
        return;
    }
    if (state == WH_VALUES_UNDEFINED && whole) {
        if (granule_bits_alone(from).bits)
            granule_undefine(to.granule);
        else
            granule_define(to.granule);
        return;
    }
    if (granule_is_named(state) && copy_named(copying, to, from)) return;
    struct whence_bits found = {0, 0};
    uint64_t mask = low_bytes(to.size) << to.shift, value = granule_word(to.granule) & ~mask;
    if (state | last) {
        found = bits_of(from, to.size, granule_bits_alone);
        value |= (all ? word_at(from) : wh_number(from, to.size)) << to.shift;
    }
    if (!found.bits) found.origin = 0;
    change_part(to, found.bits, found.origin, value);
}

/* Whether the bytes of eight granules are defined; the first byte need not begin one. */
static int is_defined_range(uintptr_t from) {
    return is_defined_run(from) && !granule_read(from + RUN_BYTES - 1);
}

#define ALL_UNDEFINED (0x0101010101010101ull * WH_VALUES_UNDEFINED)

/* Whether eight granules hold one fill word. */
static int is_undefined_run(uintptr_t granule) {
    const wh_word *words = (const wh_word *)granule;
    if (*(const wh_word *)granule_state(granule) != ALL_UNDEFINED) return 0;
    for (unsigned i = 1; i < RUN_BYTES / WH_GRANULE; i++)
        if (words[i] != words[0]) return 0;
    return origin_fills(words[0]);
}

/* Eight granules that get bytes which are all defined or all undefined, as most do. */
static int copy_run(uintptr_t to, uintptr_t from) {
    if (is_defined_range(from)) {
        if (!is_defined_run(to)) define_run(to);
        return 1;
    }
    if (from % WH_GRANULE || !is_undefined_run(from)) return 0;
    *(volatile wh_word *)granule_state(to) = ALL_UNDEFINED;
    return 1;
}

static void copy_forward(struct copying *copying) {
    uintptr_t to = copying->to, from = copying->from;
    uint64_t size = copying->size;
    while (size) {
        struct part part = part_of(to, size);
        if (size >= RUN_BYTES && !part.shift && copy_run(to, from))
            part.size = RUN_BYTES;
        else
            copy_part(copying, part, from);
        to += part.size;
        from += part.size;
        size -= part.size;
    }
}

static void copy_backward(struct copying *copying) {
    uintptr_t to = copying->to, from = copying->from;
    uint64_t size = copying->size;
    while (size) {
        uint64_t last = (to + size) % WH_GRANULE, step = last ? last : WH_GRANULE;
        if (!last && size >= RUN_BYTES &&
            copy_run(to + size - RUN_BYTES, from + size - RUN_BYTES)) {
            size -= RUN_BYTES;
            continue;
        }
        if (step > size) step = size;
        size -= step;
        copy_part(copying, part_of(to + size, step), from + size);
    }
}

WH_EXPORT void __whence_value_copy(uint64_t to, uint64_t from, uint64_t size) {
    if (!size || to == from || !is_covered(to, size) || !is_covered(from, size)) return;
    if (values_are_defined(from, size)) {
        __whence_value_define(to, size);
        return;
    }
    values_mark(to);
    struct copying copying;
    copying.to = to;
    copying.from = from;
    copying.size = size;
    copying.asked = 0;
    if (to < from)
        copy_forward(&copying);
    else
        copy_backward(&copying);
}

void values_copied(uintptr_t to, uintptr_t from, uint64_t size) {
    __whence_value_copy(to, from, size);
}
