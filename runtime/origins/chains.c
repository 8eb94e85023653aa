#include "chains.h"
#include "../stacks/depot.h"
#include "cells.h"
#include "deaths.h"
#include "given.h"
#include "indexed.h"
#include "recipes.h"
#include "sizes.h"

static void begin_heading(struct text *into, uint64_t role, int is_negative, uint64_t value) {
    text_put(into, "=");
    text_decimal(into, role);
    text_put(into, is_negative ? "\t-" : "\t");
    text_decimal(into, is_negative ? -value : value);
}

static void put_heading(struct text *into, uint64_t role, int is_negative, uint64_t value) {
    begin_heading(into, role, is_negative, value);
    text_put(into, "\n");
}

/* How many chains there are. */
static unsigned count_of(const struct text *text) {
    unsigned count = 0;
    for (size_t i = 0; i < text->length; i++)
        if (text->begin[i] == '=' && (!i || text->begin[i - 1] == '\n')) count++;
    return count;
}

static void put_hop(struct text *into, uint32_t flags, uint32_t tag,
                    const struct whence_origin_site *site) {
    text_decimal(into, flags);
    text_put(into, "\t");
    text_decimal(into, tag);
    text_put(into, "\t");
    text_put(into, site_text(site));
    text_put(into, "\t");
    text_put(into, site_scope(site));
    text_put(into, "\n");
}

/* The flags of a hop. A node without a site has no hop of its own: what it leaves out is said
 * there.
 */
static uint32_t flags_of(const struct node *node) {
    uint32_t flags = node->flags;
    for (const struct node *at = node_at(node->parent); at && !at->site; at = node_at(at->parent))
        flags |= at->flags & WH_NODE_SKIPPED;
    return flags;
}

static void put_hops(struct text *into, uint32_t node) {
    unsigned hops = 0;
    for (const struct node *at = node_at(node); at && hops < WH_ORIGIN_MOST_HOPS;
         at = node_at(at->parent)) {
        if (!at->site) continue;
        hops++;
        put_hop(into, flags_of(at), at->thread, at->site);
        if (at->flags & WH_NODE_INPUT) given_describe(at->site, into);
    }
}

/* Where a number was computed that is still the same; NULL if that is not known. */
static const struct whence_origin_site *computed_at(uint32_t node) {
    const struct node *at = node_at(node), *last = NULL;
    for (unsigned hops = 0; at && hops < WH_ORIGIN_MOST_HOPS; at = node_at(at->parent)) {
        if (at->is_arithmetic) return NULL;
        if (at->site) hops++, last = at;
    }
    return at || !last || last->flags ? NULL : last->site;
}

/* The result of arithmetic, of which the number has the lower bits. */
static void put_exact(struct text *into, const struct computed *computed) {
    text_put(into, "~");
    text_decimal(into, computed->bits);
    text_put(into, "\t");
    text_decimal(into, computed->upper);
    text_put(into, "\t");
    text_decimal(into, computed->exact);
    text_put(into, "\n");
}

#define DEEPEST 3u

/* Other chains of the finding follow, which need room, too. */
static int has_room(const struct text *text) { return text->length < text->capacity / 2; }

/* The chains of what the number of the last chain was computed from, and of what those were. */
static void put_parts(struct text *into, uint64_t value, uint32_t node, unsigned depth) {
    struct computed computed;
    const struct whence_origin_site *site = computed_at(node);
    if (!site || !computed_find(site, value, &computed)) return;
    if (computed.bits) put_exact(into, &computed);
    unsigned own = count_of(into) - 1;
    for (unsigned i = 0; i < computed.count; i++) {
        struct use_value each = computed.operands[i];
        if (!node_at(each.node) || !has_room(into)) continue;
        begin_heading(into, WH_ROLE_OPERAND_1 + i, each.has_sign && each.word >> 63, each.word);
        text_put(into, "\t");
        text_decimal(into, own);
        text_put(into, "\n");
        put_hops(into, each.node);
        if (depth < DEEPEST) put_parts(into, each.word, each.node, depth + 1);
    }
}

/* The chain of a value that is not known. */
static void put_node(struct text *into, uint64_t role, uint32_t node) {
    if (!node_at(node)) return;
    put_heading(into, role, 0, 0);
    put_hops(into, node);
}

static void put_chain(struct text *into, uint64_t role, uint64_t value, uint32_t node) {
    if (!node_at(node)) return;
    put_heading(into, role, 0, value);
    put_hops(into, node);
    put_parts(into, value, node, 1);
}

static void put_value(struct text *into, uint64_t role, struct use_value value, int has_operands) {
    if (!node_at(value.node)) return;
    put_heading(into, role, value.has_sign && value.word >> 63, value.word);
    put_hops(into, value.node);
    if (!has_operands) put_parts(into, value.word, value.node, 1);
}

static void put_holder(struct text *into, const struct death *death) {
    uint64_t pcs[WH_ALLOC_FRAMES];
    unsigned count = depot_get(death->holder, pcs, WH_ALLOC_FRAMES);
    if (!count) return;
    text_put(into, "@");
    text_decimal(into, death->size);
    for (unsigned i = 0; i < count; i++) {
        text_put(into, "\t");
        text_decimal(into, pcs[i]);
    }
    text_put(into, "\n");
}

static void put_death(struct text *into, uintptr_t begin) {
    struct block block = block_around(begin);
    const struct death *death = death_of(block);
    if (!death) return;
    put_heading(into, WH_ROLE_LOST, 0, begin);
    put_hop(into, WH_NODE_LOST, death->tag, death->site);
    put_holder(into, death);
    put_hops(into, death->node);
}

/* The size of the block as the program knows it, or what gave it this size. */
static void put_size(struct text *into, const struct whence_block *block) {
    const struct sizing *sizing = sizing_of(block);
    if (!sizing) return;
    int has_operands = 0;
    for (unsigned i = 0; i < SIZING_VALUES; i++)
        has_operands |= sizing->roles[i] == WH_ROLE_LEFT || sizing->roles[i] == WH_ROLE_RIGHT;
    for (unsigned i = 0; i < SIZING_VALUES; i++) {
        uint64_t value = sizing->values[i];
        int is_negative = (int)(sizing->signs >> i & 1 & value >> 63);
        if (!sizing->roles[i] || !node_at(sizing->nodes[i])) continue;
        if (sizing->roles[i] == WH_ROLE_SIZE) value = block->size;
        put_heading(into, sizing->roles[i], is_negative, value);
        put_hops(into, sizing->nodes[i]);
        if (i || !has_operands) put_parts(into, value, sizing->nodes[i], 1);
    }
}

/* The argument of the last call that has this value. */
static uint32_t argument_of(uint64_t value) {
    const struct origins_passed *own = &__whence_origins;
    for (uint64_t i = 0; i < own->passed.count && i < WHENCE_ORIGIN_ARGUMENTS; i++)
        if (own->arguments[i] >> 32 == (uint32_t)value) return (uint32_t)own->arguments[i];
    return 0;
}

/* A check may be about bytes near the pointer that the program used last. */
static int is_near(uint64_t one, uint64_t other) {
    return one - other < WH_ORIGIN_USE_NEAR || other - one < WH_ORIGIN_USE_NEAR;
}

static void put_index(const struct use_values *values, struct text *into) {
    put_value(into, WH_ROLE_INDEX, values->index, values->operand_count != 0);
    for (unsigned i = 0; i < values->operand_count; i++)
        put_value(into, WH_ROLE_OPERAND_1 + i, values->operands[i], 0);
}

/* The index by which a pointer was computed before it came here, if that was what was computed
 * last. */
static int find_index(uint32_t node, uintptr_t pointer, struct use_values *found) {
    const struct node *at = node_at(node);
    for (unsigned hops = 0; at && !at->is_arithmetic && hops < WH_ORIGIN_MOST_HOPS; hops++)
        at = node_at(at->parent);
    return at && at->is_arithmetic && at->site && indexed_find(at->site, pointer, found);
}

/* A pointer whose index is known where it was computed. */
static void put_indexed(uintptr_t address, uint32_t node, uintptr_t pointer, struct text *into) {
    struct use_values values = {0};
    put_chain(into, WH_ROLE_POINTER, address, node);
    if (find_index(node, pointer, &values)) put_index(&values, into);
}

enum { COPIED_TO, COPIED_FROM, COPIED_SIZE, COPIED_VALUES };

/* The pointer to memory that an assignment of a struct accesses, or its like; 0 if the last use is
 * another one. */
static int put_moved(const struct whence_event *event, struct text *into) {
    const struct origins_passed *own = &__whence_origins;
    if (own->passed.callee || own->passed.use_address || own->passed.count < COPIED_VALUES)
        return 0;
    uint64_t word = own->arguments[event->point == WH_POINT_DEREF_W ? COPIED_TO : COPIED_FROM];
    uint32_t inside = (uint32_t)event->r - (uint32_t)(word >> 32);
    if (inside >= own->arguments[COPIED_SIZE] >> 32) return 0;
    put_indexed(event->r, (uint32_t)word, event->r - inside, into);
    return 1;
}

/* What the last use says of an address that is called. */
static void put_target(uint64_t address, struct text *into) {
    if (address != ~__whence_origins.passed.use_address) return;
    struct use_nodes nodes = use_nodes();
    if (nodes.is_call) put_chain(into, WH_ROLE_POINTER, address, nodes.pointer);
}

/* What the last use says of an address that is accessed, if it is one near it. */
static void put_used(uint64_t address, struct text *into) {
    if (!is_near(address, ~__whence_origins.passed.use_address)) return;
    struct use_nodes nodes = use_nodes();
    if (nodes.is_call) return;
    put_chain(into, WH_ROLE_POINTER, address, nodes.pointer);
    uintptr_t pointer = ~__whence_origins.passed.use_address - (uintptr_t)(intptr_t)nodes.distance;
    if (nodes.has_values || find_index(nodes.pointer, pointer, &nodes.values))
        put_index(&nodes.values, into);
}

static void put_argument(const struct whence_event *event, struct text *into) {
    uint32_t node = argument_of(event->r);
    if (!node && event->root) node = argument_of(event->root);
    put_chain(into, WH_ROLE_POINTER, event->r, node);
}

/* The functions whose first number is the alignment. */
static const char *const aligning[] = {"aligned_alloc", "memalign", "posix_memalign"};

static int is_aligning(const char *library) {
    for (unsigned i = 0; i < sizeof aligning / sizeof *aligning; i++)
        if (wh_same(aligning[i], library)) return 1;
    return 0;
}

/* Of values, those that are arguments of the last call; equal ones are in the order of its
 * parameters. */
static void put_arguments(const uint64_t *values, unsigned count, struct text *into) {
    const struct origins_passed *own = &__whence_origins;
    uint64_t taken = 0;
    for (unsigned i = 0; i < count; i++)
        for (uint64_t at = 0; at < own->passed.count && at < WHENCE_ORIGIN_ARGUMENTS; at++) {
            if (taken >> at & 1 || own->arguments[at] >> 32 != (uint32_t)values[i]) continue;
            taken |= 1ull << at;
            put_chain(into, WH_ROLE_ARGUMENT, values[i], (uint32_t)own->arguments[at]);
            break;
        }
}

static void put_request(const struct whence_event *event, const char *library, struct text *into) {
    if (library && is_aligning(library)) {
        const uint64_t values[] = {event->other, event->value};
        put_arguments(values, 2, into);
    } else {
        const uint64_t values[] = {event->width, event->value, event->other};
        put_arguments(values, 3, into);
    }
}

static void put_copied(const struct whence_event *event, struct text *into) {
    const uint64_t values[] = {event->r, event->other, event->width};
    put_arguments(values, 3, into);
}

/* The arguments that say how many bytes a library function accesses: one, or the size and the
 * number of elements beside it. */
static const struct {
    const char *name;
    uint8_t first, count;
} lengths[] = {WH_ORIGIN_LENGTHS};

static uint64_t argument_word(unsigned index) {
    const struct origins_passed *own = &__whence_origins;
    return index < own->passed.count && index < WHENCE_ORIGIN_ARGUMENTS ? own->arguments[index] : 0;
}

/* Descriptors are the first arguments of the functions that use them, but for a few. */
static void put_descriptor(const struct whence_event *event, struct text *into) {
    uint64_t first = argument_word(0);
    if (first >> 32 == (uint32_t)event->value)
        put_chain(into, WH_ROLE_ARGUMENT, event->value, (uint32_t)first);
}

/* Chains of the length of an access. The lower 32 bits of an argument are known: where they, or the
 * product of two, are not those of the length, the access is about another number. */
static void put_length(const char *library, uint64_t length, struct text *into) {
    const unsigned known = sizeof lengths / sizeof *lengths;
    unsigned i = 0;
    while (i < known && !wh_same(lengths[i].name, library)) i++;
    if (i == known) return;
    uint64_t first = argument_word(lengths[i].first);
    if (lengths[i].count == 1) {
        if (first >> 32 != (uint32_t)length || !node_at((uint32_t)first)) return;
        int is_negative = (int)(length >> 63);
        put_heading(into, WH_ROLE_LENGTH, is_negative, length);
        put_hops(into, (uint32_t)first);
        put_parts(into, length, (uint32_t)first, 1);
        return;
    }
    uint64_t second = argument_word(lengths[i].first + 1u);
    if ((first >> 32) * (second >> 32) != length) return;
    put_chain(into, WH_ROLE_MEMBER, first >> 32, (uint32_t)first);
    put_chain(into, WH_ROLE_MEMBERS, second >> 32, (uint32_t)second);
}

/* The lower bits of an operand that it has in its own type. */
static int is_operand(uint64_t value, uint32_t recorded, uint64_t bits) {
    uint32_t mask = bits && bits < 32 ? (1u << bits) - 1 : ~0u;
    return !(((uint32_t)value ^ recorded) & mask);
}

#define POINTS_OF_PAIRS (1ull << WH_POINT_COMPARE | 1ull << WH_POINT_DIFFERENCE)

static void put_operands(const struct whence_event *event, struct text *into) {
    const struct whence_origin_passed *own = &__whence_origins.passed;
    int is_pair = (int)(POINTS_OF_PAIRS >> event->point & 1);
    int has_pointer = (int)(WH_POINTS_POINTER >> event->point & 1);
    uint64_t first = has_pointer ? event->r : event->value;
    uint64_t second = has_pointer && !is_pair ? event->value : event->other;
    uint64_t bits = event->high ? event->width : 64;
    if (!is_operand(first, (uint32_t)own->operands, bits)) return;
    put_chain(into, WH_ROLE_FIRST, first, (uint32_t)own->operand_nodes);
    if (!is_operand(second, (uint32_t)(own->operands >> 32), bits)) return;
    put_chain(into, WH_ROLE_SECOND, second, (uint32_t)(own->operand_nodes >> 32));
}

/* What undefined bits decide: the reader compares the line of the site. */
static void put_decided(struct text *into) {
    const struct whence_origin_passed *own = &__whence_origins.passed;
    const struct whence_origin_site *site = (const void *)(uintptr_t)own->decided_site;
    for (unsigned i = 0; site && i < 2; i++) {
        uint32_t node = (uint32_t)(own->decided_nodes >> 32 * i);
        if (!node_at(node)) continue;
        put_heading(into, WH_ROLE_USED, 0, 0);
        text_put(into, "!");
        text_put(into, site_text(site));
        text_put(into, "\n");
        put_hops(into, node);
    }
}

/* What is stored in memory whose undefined bits are used. */
static void put_content(uintptr_t address, struct text *into) {
    uint32_t node;
    if (cells_node(address, 1, *(const uint8_t *)address, &node))
        put_node(into, WH_ROLE_USED, node);
}

static void put_use(const struct whence_event *event, struct text *into) {
    const struct whence_origin_passed *own = &__whence_origins.passed;
    uint64_t kind = event->width;
    if (kind == WH_USE_BRANCH || kind == WH_USE_TARGET) put_decided(into);
    if (kind == WH_USE_MEMORY) {
        put_argument(event, into);
        put_content(event->r, into);
    }
    if (kind == WH_USE_ARGUMENT)
        put_chain(into, WH_ROLE_POINTER, event->value, argument_of(event->value));
    if (kind == WH_USE_STATUS && own->result >> 32 == (uint32_t)event->value)
        put_chain(into, WH_ROLE_POINTER, event->value, (uint32_t)own->result);
    if (kind == WH_USE_ADDRESS) put_used(event->value, into);
}

void chains_of_node(uint32_t node, struct text *into) { put_node(into, WH_ROLE_POINTER, node); }

int chains_of_memory(uintptr_t address, uint64_t size, uint64_t value, struct text *into,
                     uint32_t *thread) {
    uint32_t node;
    *thread = node_tag(node_own());
    if (!cells_node(address, size, value, &node)) return node ? 1 : 0;
    put_node(into, WH_ROLE_POINTER, node);
    return 2;
}

void chains_describe(const struct whence_event *event, const struct whence_block *block,
                     const char *library, uint64_t length, int is_call, struct text *into) {
    int accesses = event->point == WH_POINT_DEREF_R || event->point == WH_POINT_DEREF_W;
    if (event->point == WH_POINT_USE)
        put_use(event, into);
    else if (event->point == WH_POINT_ALLOC)
        put_request(event, library, into);
    else if (event->point == WH_POINT_COPY)
        put_copied(event, into);
    else if (event->point == WH_POINT_DESCRIPTOR)
        put_descriptor(event, into);
    else if (event->point == WH_POINT_CALL)
        put_arguments(&event->first, WHENCE_ARGUMENTS, into);
    else if (event->point == WH_POINT_THREAD)
        return; /* the number of the thread is ours, not a value of the program */
    else if (library || event->point == WH_POINT_FREE)
        put_argument(event, into);
    else if (is_call)
        put_target(event->r, into);
    else if (accesses || event->point == WH_POINT_READ) {
        if (!put_moved(event, into)) put_used(event->r, into);
    } else if (WH_POINTS_RECORDED >> event->point & 1)
        put_operands(event, into);
    if (library && (accesses || event->point == WH_POINT_LENGTH)) put_length(library, length, into);
    if (block && block->id && block->state == WH_BLOCK_LIVE) put_size(into, block);
    int leaves = event->point == WH_POINT_CALL || event->point == WH_POINT_RET;
    if (leaves && block && block->id && block->kind == WH_KIND_HEAP) put_death(into, block->begin);
    if (block && block->id && block->state == WH_BLOCK_FREED)
        put_chain(into, WH_ROLE_FREED, block->begin, cells_freed(block->begin));
}
