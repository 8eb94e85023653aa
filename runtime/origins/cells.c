#include "cells.h"
#include "../blocks/block.h"
#include "../os/mem.h"
#include "../planes/chunks.h"
#include "../process/kind.h"
#include "deaths.h"
#include "given.h"
#include "parts.h"
#include "passing.h"
#include "sizes.h"
#include "../definedness/ranges.h"
#include "log.h"

#define UNIT (1ul << WH_ORIGIN_UNIT_SHIFT)
/* Runs of cells that are set beyond this many bytes of memory keep no origin. */
#define MOST_SET (16ul << 20)
/* Copies that change the position within a cell are followed byte by byte, up to so many. */
#define MOST_SHIFTED (4ul << 10)

WH_EXPORT __thread struct origins_passed __whence_origins;

static uint64_t used;
static const struct chunk_plane plane = {
    .table = WH_ORIGIN_TABLE_BASE,
    .chunks = WH_ORIGIN_CHUNKS_BASE,
    .size = WH_ORIGIN_CHUNKS_SIZE,
    .unit_shift = WH_ORIGIN_UNIT_SHIFT,
    .chunk_shift = WH_ORIGIN_CHUNK_SHIFT,
    .cell_shift = WH_ORIGIN_CELL_SHIFT,
    .used = &used,
};

int origins_on;

long origins_init(uintptr_t *begin, size_t *size) {
    origins_on = 1;
    node_begin_thread(0);
    log_init();
    long result = chunks_reserve(&plane, begin, size);
    if (result >= 0) result = deaths_init(begin, size);
    if (result >= 0) result = sizes_init(begin, size);
    if (result >= 0) result = parts_init(begin, size);
    if (result >= 0) result = given_init(begin, size);
    return result < 0 ? result : nodes_init(begin, size);
}

/* The cell that generated code uses for an address: the next cell belongs to the next four bytes,
 * and is one more than a chunk has at its end, where the next chunk's memory begins. */
static cell *cell_of(uintptr_t address, int make) { return chunk_cell(&plane, address, make); }

cell *cells_at(uintptr_t address, int make) { return cell_of(address, make); }

/* How many of so many bytes are in the first one's cell. */
static unsigned in_cell(uintptr_t address, uint64_t size) {
    unsigned most = UNIT - address % UNIT;
    return size < most ? (unsigned)size : most;
}

/* The bytes of a value of at most eight, each in its own cell. */
static void write_bytes(uintptr_t address, uint64_t size, uint64_t value, uint32_t node) {
    for (unsigned count; size; address += count, size -= count) {
        count = in_cell(address, size);
        cell *at = cell_of(address, node != 0);
        if (at && (node || *at)) parts_put(at, address, count, (uint32_t)value, node);
        value >>= 8 * count;
    }
}

/* The node that all bytes of a value have in their cells, 0 if there is none. */
static uint32_t node_of_bytes(uintptr_t address, uint64_t size, uint64_t value) {
    uint32_t node = 0;
    for (unsigned count, done = 0; done < size; done += count) {
        count = in_cell(address + done, size - done);
        const cell *at = cell_of(address + done, 0);
        uint32_t found =
            at ? parts_node(at, address + done, count, (uint32_t)(value >> 8 * done)) : 0;
        if (!found || (done && found != node)) return 0;
        node = found;
    }
    return node;
}

static void write_cells(uintptr_t address, uint64_t size, uint64_t value, uint32_t node) {
    if (size < UNIT || address % UNIT) {
        write_bytes(address, size, value, node);
        return;
    }
    cell *at = cell_of(address, 1);
    if (!at) return;
    at[0] = cell_make(node, (uint32_t)value);
    if (size > UNIT) at[1] = cell_make(node, (uint32_t)(value >> 32));
}

/* What was stored to parts of a value stays known where it is still there: bit-fields and members
 * are also loaded together, as to pass a struct in a register. */
static void write_others(uintptr_t address, uint64_t size, uint64_t value, uint32_t node) {
    for (unsigned count; size; address += count, size -= count) {
        count = in_cell(address, size);
        cell *at = cell_of(address, 1);
        int is_known = at && parts_stored(at, address, count) &&
                       parts_hold(at, address, count, (uint32_t)value);
        if (!is_known) write_cells(address, count, value, node);
        value >>= 8 * count;
    }
}

/* Whether the cells have this node for a value of four or eight bytes that is there now. */
static int holds(const cell *at, uint64_t size, uint64_t value, uint32_t node) {
    return at[0] == cell_make(node, (uint32_t)value) &&
           (size <= UNIT || at[1] == cell_make(node, (uint32_t)(value >> 32)));
}

static uint32_t node_of_value(uintptr_t address, uint64_t size, uint64_t value) {
    const cell *at = cell_of(address, 0);
    if (!at) return 0;
    uint32_t node = cell_node(*at);
    if (size < UNIT || address % UNIT || cell_is_divided(*at) ||
        (size > UNIT && cell_is_divided(at[1])))
        return node_of_bytes(address, size, value);
    return node && holds(at, size, value, node) ? node : 0;
}

/* Whether a library function has written any value. */
static int some_written;

static int is_written(uint32_t node) {
    for (const struct node *at = node_at(node); at; at = node_at(at->parent))
        if (at->flags & WH_NODE_WRITTEN) return 1;
    return 0;
}

/* A library function writes values as a whole, but their bytes with what was there before are not
 * known to be its: the node of the others; 0 if there are none, or other code has changed a byte.
 */
static uint32_t node_of_written(uintptr_t address, uint64_t size, uint64_t value) {
    uint32_t node = 0;
    for (; some_written && size; address++, size--, value >>= 8) {
        const cell *at = cell_of(address, 0);
        if (!at || !parts_stored(at, address, 1)) continue;
        if (!parts_hold(at, address, 1, (uint8_t)value)) return 0;
        uint32_t found = node ? 0 : parts_of_byte(at, address);
        if (found && is_written(found)) node = found;
    }
    return node;
}

/* The node of a value that is there now, 0 if the cells have none. */
static uint32_t node_now(uintptr_t address, uint64_t size, uint64_t value) {
    uint32_t node = node_of_value(address, size, value);
    return node ? node : node_of_written(address, size, value);
}

/* Whether something that is followed was stored at the begin of a value. */
static int is_stored(uintptr_t address, uint64_t size) {
    const cell *at = cell_of(address, 0);
    return at && parts_stored(at, address, in_cell(address, size));
}

/* ---- generated code ---- */

WH_EXPORT uint32_t __whence_origin_make(struct whence_origin_site *site, uint32_t parent) {
    uint32_t node = node_step(site, parent);
    if (node) __atomic_store_n(&site->cache, (uint64_t)parent << 32 | node, __ATOMIC_RELAXED);
    return node;
}

WH_EXPORT uint32_t __whence_origin_join(struct whence_origin_site *moved,
                                        struct whence_origin_site *born, uint32_t one,
                                        uint32_t other) {
    uint32_t same = node_before_arithmetic(one);
    if (same && same == node_before_arithmetic(other)) return node_step(moved, same);
    int far = 0;
    uint32_t whole = given_joined(one, other, &far);
    if (!whole) return node_step(born, node_own());
    return far ? node_make(moved, whole, WH_NODE_SKIPPED) : node_step(moved, whole);
}

WH_EXPORT void __whence_origin_keep(uint64_t address, uint64_t size, uint64_t value,
                                    uint32_t node) {
    write_cells(address, size, value, node);
    log_value(address, size, value, node);
}

/* The flags of a node that begins with undefined bits of up to eight bytes; 0 if there are none. */
static uint32_t undefined_flags(uint64_t address, uint64_t size) {
    uint64_t bits = VALUES_ON ? __whence_value_load(address, size).bits : 0;
    if (!bits) return 0;
    return bits == ~0ull >> (64 - 8 * size) ? WH_NODE_UNDEFINED
                                            : WH_NODE_UNDEFINED | WH_NODE_PARTLY;
}

static int is_undefined(uint64_t address, uint64_t size) {
    return undefined_flags(address, size) == WH_NODE_UNDEFINED;
}

WH_EXPORT uint32_t __whence_origin_narrow(struct whence_origin_site *site, uint64_t address,
                                          uint64_t size, uint32_t born) {
    return is_undefined(address, size) ? node_make(site, node_own(), WH_NODE_UNDEFINED) : born;
}

uint32_t cells_own(struct whence_origin_site *site, uint32_t stored, uintptr_t address,
                   uint64_t size) {
    if (node_tag(stored) == node_tag(node_own())) return stored;
    return node_is_input(stored) ? given_part(stored, address, size) : node_cross(site, stored);
}

uint32_t cells_born(struct whence_origin_site *site, uintptr_t address, uint64_t size,
                    uint64_t value, int stored, uint32_t undefined) {
    int initial = !stored && kind_of(address) == WH_KIND_GLOBAL;
    uint32_t flags = initial ? WH_NODE_INITIAL : WH_NODE_UNSEEN;
    if (undefined) flags = undefined;
    uint32_t node = flags == WH_NODE_UNSEEN ? given_there(site, address, size, value) : 0;
    return node ? node : node_make(site, node_own(), flags);
}

WH_EXPORT uint32_t __whence_origin_lost(struct whence_origin_site *site, uint64_t address,
                                        uint64_t size, uint64_t value) {
    uint32_t stored = node_now(address, size, value);
    if (stored) return cells_own(site, stored, address, size);
    uint32_t node = cells_born(site, address, size, value, is_stored(address, size),
                               undefined_flags(address, size));
    write_others(address, size, value, node);
    return node;
}

uint32_t cells_now(uintptr_t address, unsigned count) {
    const cell *at = cell_of(address, 0);
    return at ? parts_node(at, address, count, (uint32_t)wh_number(address, count)) : 0;
}

static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

uint32_t cells_parsed(struct whence_origin_site *call, uintptr_t text, uint64_t size) {
    uint32_t literal = origins_passed_literal(text);
    if (literal) return node_step(call, literal);
    while (size > 1 && is_blank(*(const char *)text)) text++, size--;
    uint32_t node = node_now(text, 1, *(const uint8_t *)text);
    if (node)
        node = cells_own(call, node, text, size);
    else
        node = given_there(call, text, size, 0);
    return node ? node_step(call, node) : 0;
}

/* ---- memory that serves another purpose ---- */

/* From so many bytes on whole pages of cells are dropped, which costs less than to read them. */
#define DROPPED (256ul << 10)

static void clear(uintptr_t begin, uintptr_t end) {
    for (cell *at = (cell *)begin; at < (cell *)end; at++)
        if (*at) *at = 0; /* pages that nobody has written stay so */
}

static void forget_cells(uintptr_t begin, uint64_t size) {
    uintptr_t end = begin + size;
    uintptr_t first = wh_round_up(begin, OS_PAGE), last = wh_round_down(end, OS_PAGE);
    if (size < DROPPED) {
        clear(begin, end);
        return;
    }
    clear(begin, first);
    os_discard(first, last - first);
    clear(last, end);
}

void cells_forget(uintptr_t begin, uint64_t size) {
    uint64_t most = 1ull << plane.chunk_shift;
    uintptr_t end = size < (1ull << WH_ADDRESS_BITS) ? begin + size : begin;
    uintptr_t first = wh_round_up(begin, UNIT), last = wh_round_down(end, UNIT);
    if (begin < first) write_bytes(begin, first < end ? first - begin : end - begin, 0, 0);
    if (last < end && last >= first) write_bytes(last, end - last, 0, 0);
    begin = first, end = last;
    while (begin < end) {
        uint64_t rest = most - (begin & (most - 1));
        if (rest > end - begin) rest = end - begin;
        cell *at = cell_of(begin, 0);
        if (at) forget_cells((uintptr_t)at, rest / UNIT * sizeof *at);
        begin += rest;
    }
}

WH_EXPORT void __whence_origin_fresh(uint64_t begin, uint64_t size) { cells_forget(begin, size); }

/* ---- lost pointers ---- */

/* Where a range of memory is looked through for pointers: its begin, up to this many bytes. */
#define MOST_SEARCHED (1ul << 20)
#define WORD sizeof(uint64_t)

/* The pointer that two cells have, 0 if they have none to the heap. */
static uint64_t heap_pointer(const cell *at) {
    uint64_t pointer = (at[1] & ~0ull << 32) | at[0] >> 32;
    return blocks_in_heap(pointer) && cell_node(at[0]) == cell_node(at[1]) ? pointer : 0;
}

WH_EXPORT void __whence_origin_over(uint64_t address, uint64_t value, uint32_t node) {
    const cell *at = cell_of(address, 0);
    const struct node *by = node_at(node);
    uint64_t old = at ? heap_pointer(at) : 0;
    if (by && old && blocks_apart(old, value)) death_note(by->site, old, cell_node(*at), address);
}

WH_EXPORT void __whence_origin_lose(struct whence_origin_site *site, uint64_t value,
                                    uint32_t node) {
    death_note(site, value, node, 0);
}

/* Tells the pointers to the heap that were stored in a range. The memory itself is not asked: LLVM
 * removes stores that nobody reads. */
static void lose_range(struct whence_origin_site *site, uintptr_t begin, uint64_t size) {
    if (size > MOST_SEARCHED) size = MOST_SEARCHED;
    uintptr_t last = begin + size;
    for (uintptr_t at = wh_round_up(begin, WORD); at + WORD <= last;) {
        const cell *cells = cell_of(at, 0);
        if (!cells) return;
        uintptr_t end = wh_round_down(at, 1ull << plane.chunk_shift) + (1ull << plane.chunk_shift);
        if (end > last) end = last;
        for (; at + WORD <= end; at += WORD, cells += WORD / UNIT) {
            uint64_t old = heap_pointer(cells);
            if (old) death_note(site, old, cell_node(*cells), at);
        }
    }
}

WH_EXPORT void __whence_origin_gone(struct whence_origin_site *site, uint64_t begin,
                                    uint64_t size) {
    lose_range(site, begin, size);
    cells_forget(begin, size);
}

WH_EXPORT void __whence_origin_freeing(struct whence_origin_site *site, uint64_t pointer) {
    struct block block = blocks_in_heap(pointer) ? block_around(pointer) : block_none();
    if (block_begins_live(block, pointer)) lose_range(site, pointer, block_size(block));
}

/* ---- ranges ---- */

static void set_cells(uint32_t node, uintptr_t to, uint64_t size) {
    if (size > MOST_SET) size = MOST_SET;
    uintptr_t end = to + size;
    for (uintptr_t at = to; at < end;) {
        unsigned count = in_cell(at, end - at);
        cell *of = cell_of(at, 1);
        if (!of) return;
        if (count < UNIT)
            parts_put(of, at, count, (uint32_t)wh_number(at, count), node);
        else
            *of = cell_make(node, *(const uint32_t *)at);
        at += count;
    }
    log_range(to, size, node);
}

void cells_set(struct whence_origin_site *site, uint32_t node, uintptr_t to, uint64_t size) {
    lose_range(site, to, size);
    set_cells(node, to, size);
}

/* The site's cache has no other nodes of this parent. */
static uint32_t written_node(struct whence_origin_site *site) {
    uint64_t last = __atomic_load_n(&site->cache, __ATOMIC_RELAXED);
    if (last >> 32 == node_own()) return (uint32_t)last;
    uint32_t node = node_make(site, node_own(), WH_NODE_WRITTEN);
    if (node) __atomic_store_n(&site->cache, (uint64_t)node_own() << 32 | node, __ATOMIC_RELAXED);
    __atomic_store_n(&some_written, 1, __ATOMIC_RELAXED);
    return node;
}

void cells_written(struct whence_origin_site *site, uintptr_t to, uint64_t size) {
    uintptr_t begin = wh_round_down(to, WORD), end = wh_round_up(to + size, WORD);
    lose_range(site, begin, end - begin);
    set_cells(written_node(site), to, size);
}

WH_EXPORT void __whence_origin_set(struct whence_origin_site *site, uint64_t to, uint64_t size) {
    if (to && (int64_t)size > 0) cells_set(site, node_make(site, node_own(), 0), to, size);
}

WH_EXPORT void __whence_origin_filled(struct whence_origin_site *site, uint64_t to, uint64_t size,
                                      uint32_t node) {
    if (to && size) cells_set(site, node, to, size);
}

WH_EXPORT void __whence_origin_zeroed(struct whence_origin_site *site, uint64_t to, uint64_t count,
                                      uint64_t each) {
    uint64_t size;
    if (!__builtin_mul_overflow(count, each, &size)) __whence_origin_set(site, to, size);
}

struct copying {
    struct whence_origin_site *site; /* NULL: the copy is no hop, and has what the source has */
    uintptr_t begin, source;         /* where the copy begins, and where what is copied does */
    uint32_t from, to;               /* the nodes of the last cell */
    uint32_t undefined;              /* the node of undefined bytes; 0: none yet */
    uint32_t initial; /* that of bytes that nothing was stored to; 0: they have none */
    int is_asked;     /* whether `initial` is known */
    int is_within;    /* whether the copy has overwritten some of what was copied */
};

static uint32_t copied_node(struct copying *copying, uint32_t node) {
    if (!node || !copying->site) return node;
    if (node == copying->from) return copying->to;
    copying->from = node;
    if (node_tag(node) == node_tag(node_own()))
        copying->to = node_step(copying->site, node);
    else if (node_is_input(node))
        copying->to = given_copied(node, copying->site, copying->begin, copying->source);
    else
        copying->to = node_cross(copying->site, node);
    return copying->to;
}

static cell copied(struct copying *copying, cell from) {
    return from >> 32 << 32 | copied_node(copying, cell_node(from));
}

/* Bytes of a literal begin where its pointer does. */
static uint32_t initial_node(struct copying *copying) {
    if (copying->is_asked) return copying->initial;
    copying->is_asked = 1;
    uint32_t literal = origins_passed_literal(copying->source);
    if (literal)
        copying->initial = node_step(copying->site, literal);
    else if (kind_of(copying->source) == WH_KIND_GLOBAL)
        copying->initial = node_make(copying->site, node_own(), WH_NODE_INITIAL);
    return copying->initial;
}

int cells_are_initial(uintptr_t address) {
    const cell *at = cell_of(address, 0);
    return !at || !parts_stored(at, address, 1);
}

/* Where bytes are that were copied: LLVM removes copies that nobody reads. */
static uintptr_t kept_at(const struct copying *copying, uintptr_t to, uintptr_t from) {
    return copying->is_within ? to : from;
}

static void copy_byte(struct copying *copying, uintptr_t to, uintptr_t from) {
    const cell *source = cell_of(from, 0);
    uint32_t value = source ? cell_bytes(*source) >> 8 * (from % UNIT) & 0xff : 0;
    const uint32_t *bits = source ? parts_bits(source, from) : NULL;
    cell *target = bits ? cell_of(to, 1) : NULL;
    if (target) {
        uint32_t nodes[8];
        wh_copy(nodes, bits, sizeof nodes);
        for (unsigned i = 0; i < 8; i++)
            parts_put_bits(target, to, (uint8_t)(1u << i), (uint8_t)value,
                           copied_node(copying, nodes[i]));
        return;
    }
    uint32_t node = source ? copied_node(copying, parts_of_byte(source, from)) : 0;
    if (!node && cells_are_initial(from) && (node = initial_node(copying)))
        value = *(const uint8_t *)kept_at(copying, to, from);
    write_bytes(to, 1, value, node);
}

static void copy_bytes(struct copying *copying, uintptr_t to, uintptr_t from, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) {
        uint64_t at = to < from ? i : size - 1 - i;
        copy_byte(copying, to + at, from + at);
    }
}

/* The node of copied bytes that were undefined where they come from: its site tells both places. */
static uint32_t undefined_node(struct copying *copying) {
    if (!copying->undefined)
        copying->undefined = node_make(copying->site, node_own(), WH_NODE_UNDEFINED);
    return copying->undefined;
}

/* Of a cell that nothing was stored to. */
static cell copied_empty(struct copying *copying, uintptr_t to, uintptr_t from) {
    if (!copying->site) return 0;
    if (is_undefined(to, UNIT)) return cell_make(undefined_node(copying), *(const uint32_t *)to);
    uint32_t node = initial_node(copying);
    return node ? cell_make(node, *(const uint32_t *)kept_at(copying, to, from)) : 0;
}

static void copy_cell(struct copying *copying, uintptr_t to, uintptr_t from) {
    const cell *source = cell_of(from, 0);
    if (source && cell_is_divided(*source)) {
        copy_bytes(copying, to, from, UNIT);
        return;
    }
    cell made = source && *source ? copied(copying, *source) : copied_empty(copying, to, from);
    cell *target = cell_of(to, source != NULL || made);
    if (target) *target = made;
}

/* Whether a range lies in the memory of one chunk. */
static int in_one_chunk(uintptr_t begin, uint64_t size) {
    return (begin ^ (begin + size - 1)) >> plane.chunk_shift == 0;
}

static void copy_cells(struct copying *copying, uintptr_t to, uintptr_t from, uint64_t size) {
    uint64_t cells = size / UNIT;
    const cell *source = in_one_chunk(from, size) ? cell_of(from, 0) : NULL;
    cell *target = source && in_one_chunk(to, size) ? cell_of(to, 1) : NULL;
    for (uint64_t i = 0; i < cells; i++) {
        uint64_t at = to < from ? i : cells - 1 - i;
        if (target && source[at] && !cell_is_divided(source[at]))
            target[at] = copied(copying, source[at]);
        else
            copy_cell(copying, to + at * UNIT, from + at * UNIT);
    }
}

/* Whole cells at once where they lie in one position, and bytes before and behind them; all in the
 * order in which none is overwritten before it is read. */
static void copy_range(struct copying *copying, uintptr_t to, uintptr_t from, uint64_t size) {
    uint64_t before = wh_round_up(to, UNIT) - to;
    if ((to ^ from) & (UNIT - 1) || size < before + UNIT) {
        copy_bytes(copying, to, from, size < MOST_SHIFTED ? size : MOST_SHIFTED);
        return;
    }
    uint64_t whole = wh_round_down(size - before, UNIT), behind = before + whole;
    if (to < from) copy_bytes(copying, to, from, before);
    if (to > from) copy_bytes(copying, to + behind, from + behind, size - behind);
    copy_cells(copying, to + before, from + before, whole);
    if (to < from) copy_bytes(copying, to + behind, from + behind, size - behind);
    if (to > from) copy_bytes(copying, to, from, before);
}

/* A copy in the log: short ones with their values. */
static void log_copy(struct whence_origin_site *site, uint64_t to, uint64_t size) {
    if (!log_by_words(size)) {
        if (log_is_on()) log_range(to, size, node_make(site, node_own(), 0));
        return;
    }
    for (uint64_t at = wh_round_up(to, UNIT); at + UNIT <= to + size; at += UNIT) {
        const cell *of = cell_of(at, 0);
        if (of) log_value(at, UNIT, *of >> 32, cell_node(*of));
    }
}

/* Called after bytes were copied, perhaps to where others of them were. */
WH_EXPORT void __whence_origin_copy(struct whence_origin_site *site, uint64_t to, uint64_t from,
                                    uint64_t size) {
    if (!to || !from || to == from || !size || size > MOST_SET) return;
    uint64_t given = given_copied_there(site, to, from, size);
    if (given == size) return;
    to += given, from += given, size -= given;
    struct copying copying = {.site = site, .begin = to, .source = from};
    copying.is_within = to - from < size || from - to < size;
    lose_range(site, to, size);
    copy_range(&copying, to, from, size);
    log_copy(site, to, size);
}

void cells_move(uintptr_t to, uintptr_t from, uint64_t size) {
    struct copying copying = {.begin = to, .source = from, .is_asked = 1};
    copy_range(&copying, to, from, size);
}

/* ---- freed blocks ---- */

WH_EXPORT void __whence_origin_freed(uint32_t node, uint64_t pointer) {
    struct block block = pointer ? block_around(pointer) : block_none();
    if (!block_exists(block) || block_begins_live(block, pointer) || block_begin(block) != pointer)
        return;
    cells_forget(pointer, block_size(block));
    cell *at = cell_of(pointer, 1);
    if (at) *at = cell_make(node, WH_ORIGIN_FREED_MARK);
}

uint32_t cells_freed(uintptr_t begin) {
    const cell *at = cell_of(begin, 0);
    return at && *at >> 32 == WH_ORIGIN_FREED_MARK ? cell_node(*at) : 0;
}

/* ---- debuggers ---- */

int cells_node(uintptr_t address, uint64_t size, uint64_t value, uint32_t *node) {
    *node = node_now(address, size, value);
    if (*node && node_is_input(*node)) *node = given_part(*node, address, size);
    if (*node) return 1;
    *node = is_stored(address, size);
    return 0;
}
