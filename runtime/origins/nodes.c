#include "nodes.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/closed.h"
#include "../process/thread.h"
#include "../settings/options.h"
#include "index.h"

#define NODES ((struct node *)WH_ORIGIN_NODES_BASE)
#define NODES_SIZE (WH_ORIGIN_NODES_MOST * sizeof(struct node))
/* The nodes by their hash (index.h), 0: none. */
#define INDEX ((uint32_t *)(WH_ORIGIN_NODES_BASE + NODES_SIZE))
#define INDEX_COUNT (2u * WH_ORIGIN_NODES_MOST)

/* A site makes no more nodes of chains with a loop than this: in a loop that moves values among
 * many places, as sorting does, each value would come by a way of its own. */
#define MOST_IN_LOOPS 1024u

/* How many numbers there are, without 0 and the last. */
static uint32_t nodes_most(void) { return options.origin_nodes; }

long nodes_init(uintptr_t *begin, size_t *size) {
    *begin = WH_ORIGIN_NODES_BASE;
    *size = NODES_SIZE + INDEX_COUNT * sizeof(uint32_t);
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

static struct node *at(uint32_t number) { return &NODES[number % WH_ORIGIN_NODES_MOST]; }

static int is_none(uint32_t number) { return number % WH_ORIGIN_NODES_MOST == 0; }

const struct node *node_at(uint32_t number) { return is_none(number) ? NULL : at(number); }

/* Births stand for the bytes of an input, and have sites that are neighbours; what comes from them
 * has parents that are. */
static uint64_t hash_of(const struct node *node) {
    uint64_t site = (uintptr_t)node->site, parent = node->parent, place;
    if (node->flags & WH_NODE_INPUT) {
        place = site / NODE_INPUTS_APART;
        site = place / INDEX_NEIGHBOURS;
    } else {
        place = parent;
        parent /= INDEX_NEIGHBOURS;
    }
    uint64_t hash = site * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ hash >> 29 ^ parent) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 32 ^ node->flags ^ (uint64_t)node->thread << 32) * 0x94D049BB133111EBull;
    return index_hash(hash ^ hash >> 31, place);
}

/* Nodes whose numbers are in the index are complete but for what they stand for. */
static int is_same(const struct node *known, const struct node *node) {
    return known->site == node->site && known->parent == node->parent &&
           known->flags == node->flags && known->thread == node->thread;
}

static uint32_t used;

/* The last quarter of the numbers is for births and for what leaves out hops. The last number of
 * all is never used: with all bits of the tag it would be WH_ORIGIN_NO_PARENT. */
static uint32_t take_number(const struct node *node) {
    int is_short = is_none(node->parent) || node->flags & WH_NODE_SKIPPED;
    uint32_t most = is_short ? nodes_most() : nodes_most() / 4 * 3;
    if (__atomic_load_n(&used, __ATOMIC_RELAXED) >= most) return 0;
    uint32_t number = __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED);
    if (number <= most) return (uint32_t)node->thread << WH_ORIGIN_NODES_BITS | number;
    __atomic_sub_fetch(&used, 1, __ATOMIC_RELAXED);
    return 0;
}

/* Its module's image may be no longer loaded. */
const char *site_text(const struct whence_origin_site *site) {
    const struct whence_origin_site *kept = closed_kept(site);
    const char *text = kept ? closed_kept(kept->text) : NULL;
    return text ? text : "\t0\t0\t\t";
}

const char *site_scope(const struct whence_origin_site *site) {
    const struct whence_origin_site *kept = closed_kept(site);
    const char *scope = kept ? closed_kept(kept->scope) : NULL;
    return scope ? scope : "\t";
}

static uint8_t is_arithmetic(const struct whence_origin_site *site) {
    const char *text = site ? site_text(site) : "", *kind = "arithmetic";
    while (*kind && *text == *kind) text++, kind++;
    return !*kind;
}

/* In the text of a site: kind, line, column and name. */
const char *site_name(const struct whence_origin_site *site) {
    const char *text = site_text(site);
    for (unsigned tabs = 0; *text && tabs < 3; text++) tabs += *text == '\t';
    return text;
}

/* Completes a node that gets a number. */
static void fill(uint32_t number, const struct node *node) {
    static const struct node none;
    int is_birth = is_none(node->parent);
    const struct node *parent = is_birth ? &none : at(node->parent);
    struct node *made = at(number);
    *made = *node;
    made->loop = !parent->loop && node->flags & WH_NODE_REPEATED ? number : parent->loop;
    made->birth = is_birth ? number : parent->birth;
    made->is_arithmetic = is_arithmetic(node->site);
    made->is_moved = parent->is_moved || !(is_birth || made->is_arithmetic);
}

/* The number of an equal node, which is added if there is none. No lock: a signal handler may
 * interrupt this and do the same. */
static uint32_t find(const struct node *node, uint64_t hash) {
    uint32_t own = 0;
    for (uint64_t passed = 0;; passed++) {
        uint32_t *entry = &INDEX[index_at(hash, passed, INDEX_COUNT)];
        uint32_t known = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (!known) {
            if (!own && !(own = take_number(node))) return 0;
            fill(own, node);
            uint32_t made = index_entry(hash, own % WH_ORIGIN_NODES_MOST, WH_ORIGIN_NODES_BITS);
            if (__atomic_compare_exchange_n(entry, &known, made, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
                if (node->site && at(own)->loop)
                    __atomic_add_fetch(&node->site->made, 1, __ATOMIC_RELAXED);
                return own;
            }
        }
        uint32_t number = index_number(known, hash, WH_ORIGIN_NODES_BITS);
        if (number && is_same(at(number), node))
            return (uint32_t)node->thread << WH_ORIGIN_NODES_BITS | number;
    }
}

/* The node of the same site in a chain, 0 if there is none. */
static uint32_t earlier(const struct node *node) {
    if (!node->site) return 0;
    for (uint32_t number = node->parent; !is_none(number); number = at(number)->parent)
        if (at(number)->site == node->site) return number;
    return 0;
}

static uint32_t shortened(const struct node *node) {
    uint32_t before = earlier(node);
    if (!before) return 0;
    const struct node *known = at(before);
    if (known->flags & WH_NODE_REPEATED && known->thread == node->thread) return before;
    uint16_t flags = (node->flags & ~WH_NODE_SKIPPED) | WH_NODE_REPEATED;
    struct node again = {
        .site = node->site, .parent = known->parent, .thread = node->thread, .flags = flags};
    uint32_t number = find(&again, hash_of(&again));
    if (number) __atomic_store_n(&at(number)->stands, number, __ATOMIC_RELEASE);
    return number;
}

/* The nodes that were asked for last, by the lower bits of their hash, with its upper bits above
 * the number: the index is too large for the caches, and so are the nodes, of which no other is
 * looked at. */
#define RECENT_BITS 16u
static uint64_t recent[1u << RECENT_BITS];

static uint32_t make(const struct node *node) {
    uint64_t hash = hash_of(node);
    uint64_t *entry = &recent[hash % (1u << RECENT_BITS)];
    uint64_t known = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    uint32_t number = (known ^ hash) >> 32 ? 0 : (uint32_t)known;
    if (!number || !is_same(at(number), node)) {
        number = find(node, hash);
        if (!number) return 0;
        __atomic_store_n(entry, (hash & ~0ull << 32) | number, __ATOMIC_RELEASE);
    }
    uint32_t stands = __atomic_load_n(&at(number)->stands, __ATOMIC_ACQUIRE);
    if (!stands) {
        stands = shortened(node);
        if (!stands) stands = number;
        __atomic_store_n(&at(number)->stands, stands, __ATOMIC_RELEASE);
    }
    return stands;
}

/* ---- bounds ---- */

/* Leaves out the hops between a chain's first loop, or else its birth, and a site. */
static void skip(struct node *node) {
    uint32_t loop = at(node->parent)->loop;
    node->parent = loop ? loop : at(node->parent)->birth;
    node->flags |= WH_NODE_SKIPPED;
}

static int is_limited(const struct node *node) {
    return node->site && !is_none(node->parent) && at(node->parent)->loop &&
           __atomic_load_n(&node->site->made, __ATOMIC_RELAXED) >= MOST_IN_LOOPS;
}

static int told;

int nodes_are_full(void) { return __atomic_load_n(&told, __ATOMIC_RELAXED); }

/* There is no room even for what stands in the place of a longer chain. */
static void tell_full(void) {
    rt_note(&told, "the table of chains is full: hops of chains are missing from here on, "
                   "and values that begin at places not met before have none");
}

/* A node, or the one with fewer hops that stands for it. */
static uint32_t bounded(struct node *node) {
    int is_birth = is_none(node->parent);
    if (is_limited(node)) skip(node);
    uint32_t number = make(node);
    if (!number && !is_birth && !(node->flags & WH_NODE_SKIPPED)) {
        skip(node);
        number = make(node);
    }
    if (number) return number;
    tell_full();
    return is_birth ? 0 : node->parent;
}

/* ---- arithmetic ---- */

uint32_t node_before_arithmetic(uint32_t number) {
    while (!is_none(number) && at(number)->is_arithmetic && !(at(number)->flags & WH_NODE_INPUT))
        number = at(number)->parent;
    return is_none(number) ? 0 : number;
}

int node_is_literal(uint32_t number) {
    const struct node *last = node_at(number), *birth = last ? node_at(last->birth) : NULL;
    return birth && birth->site && !birth->flags && site_name(birth->site)[0] == '"';
}

/* ---- sites with many parents ---- */

/* Sites of interpreters and of library code pass on values of many origins, more than their own
 * cache holds: what this thread was asked for lately. Generated code looks there, too. */
static struct whence_origin_lately *lately_of(const struct whence_origin_site *site,
                                              uint32_t parent) {
    uint64_t hash = ((uintptr_t)site + parent * WH_ORIGIN_LATELY_PARENT) * WH_ORIGIN_LATELY_HASH;
    return &__whence_origins.lately[hash >> (64 - WH_ORIGIN_LATELY_BITS)];
}

/* The number that this thread's entry has for the two, 0 if there is none. */
static uint32_t remembered(const struct whence_origin_lately *entry,
                           const struct whence_origin_site *site, uint32_t parent) {
    uint64_t word = __atomic_load_n(&entry->word, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const struct whence_origin_site *known = __atomic_load_n(&entry->site, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* a signal handler may have changed the entry meanwhile */
    int fits = known == site && (uint32_t)word == parent &&
               word == __atomic_load_n(&entry->word, __ATOMIC_RELAXED);
    return fits ? (uint32_t)(word >> 32) : 0;
}

static void remember(struct whence_origin_lately *entry, const struct whence_origin_site *site,
                     uint32_t parent, uint32_t number) {
    __atomic_store_n(&entry->site, NULL, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&entry->word, (uint64_t)number << 32 | parent, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&entry->site, site, __ATOMIC_RELAXED);
}

uint32_t node_make(struct whence_origin_site *site, uint32_t parent, uint32_t flags) {
    struct node node = {.site = site,
                        .parent = parent,
                        .thread = (uint16_t)node_tag(parent),
                        .flags = (uint16_t)flags};
    return bounded(&node);
}

uint32_t node_step(struct whence_origin_site *site, uint32_t parent) {
    struct whence_origin_lately *entry = lately_of(site, parent);
    uint32_t known = remembered(entry, site, parent);
    if (known) return known;
    uint32_t number = node_make(site, parent, 0);
    if (number) remember(entry, site, parent, number);
    return number;
}

uint32_t node_cross(struct whence_origin_site *site, uint32_t parent) {
    if (is_none(parent)) return node_own();
    struct whence_origin_lately *entry = lately_of(site, parent);
    uint32_t known = remembered(entry, site, parent);
    if (known) return known;
    struct node node = {.site = site,
                        .parent = parent,
                        .thread = (uint16_t)node_tag(node_own()),
                        .flags = WH_NODE_CROSSED};
    uint32_t number = bounded(&node);
    if (number) remember(entry, site, parent, number);
    return number;
}
