#include "nodes.h"
#include "../os/mem.h"
#include "../os/os.h"

#define NODES ((struct node *)WH_ORIGIN_NODES_BASE)
#define NODES_SIZE (WH_ORIGIN_NODES_MOST * sizeof(struct node))
/* Numbers of nodes by their hash, 0: none. */
#define INDEX ((uint32_t *)(WH_ORIGIN_NODES_BASE + NODES_SIZE))
#define INDEX_COUNT (2u * WH_ORIGIN_NODES_MOST)

long nodes_init(uintptr_t *begin, size_t *size) {
    *begin = WH_ORIGIN_NODES_BASE;
    *size = NODES_SIZE + INDEX_COUNT * sizeof(uint32_t);
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

static struct node *at(uint32_t number) { return &NODES[number % WH_ORIGIN_NODES_MOST]; }

static int is_none(uint32_t number) { return number % WH_ORIGIN_NODES_MOST == 0; }

const struct node *node_at(uint32_t number) { return is_none(number) ? NULL : at(number); }

static uint64_t hash_of(const struct node *node) {
    uint64_t hash = (uintptr_t)node->site * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ hash >> 29 ^ node->parent) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 32 ^ node->flags ^ (uint64_t)node->thread << 32) * 0x94D049BB133111EBull;
    return hash ^ hash >> 31;
}

/* Nodes whose numbers are in the index are complete but for what they stand for. */
static int is_same(const struct node *known, const struct node *node) {
    return known->site == node->site && known->parent == node->parent &&
           known->flags == node->flags && known->thread == node->thread;
}

/* The last number is never used: with all bits of the tag it would be WH_ORIGIN_NO_PARENT. */
static uint32_t take_number(const struct node *node) {
    static uint32_t used;
    uint32_t number = __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED);
    if (number < WH_ORIGIN_NODES_MOST - 1) return node->thread << WH_ORIGIN_NODES_BITS | number;
    __atomic_store_n(&used, WH_ORIGIN_NODES_MOST, __ATOMIC_RELAXED);
    return 0;
}

/* The number of an equal node, which is added if there is none; *is_new says so. No lock: a signal
 * handler may interrupt this and do the same. */
static uint32_t find(const struct node *node, int *is_new) {
    uint32_t own = 0;
    uint64_t hash = hash_of(node);
    *is_new = 0;
    for (uint64_t i = hash;; i++) {
        uint32_t *entry = &INDEX[i % INDEX_COUNT];
        uint32_t number = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (!number) {
            if (!own && !(own = take_number(node))) return 0;
            *at(own) = *node;
            if (__atomic_compare_exchange_n(entry, &number, own, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
                *is_new = 1;
                return own;
            }
        }
        if (is_same(at(number), node)) return number;
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
    struct node again = {.site = node->site,
                         .parent = known->parent,
                         .thread = node->thread,
                         .flags = node->flags | WH_NODE_REPEATED};
    int is_new;
    uint32_t number = find(&again, &is_new);
    if (number) __atomic_store_n(&at(number)->stands, number, __ATOMIC_RELEASE);
    return number;
}

static uint32_t make(const struct node *node) {
    int is_new;
    uint32_t number = find(node, &is_new);
    if (!number) return 0;
    uint32_t stands = __atomic_load_n(&at(number)->stands, __ATOMIC_ACQUIRE);
    if (!stands) {
        stands = shortened(node);
        if (!stands) stands = number;
        __atomic_store_n(&at(number)->stands, stands, __ATOMIC_RELEASE);
    }
    return stands;
}

uint32_t node_make(struct whence_origin_site *site, uint32_t parent, uint32_t flags) {
    struct node node = {.site = site, .parent = parent, .thread = node_tag(parent), .flags = flags};
    return make(&node);
}

/* ---- sites with many parents ---- */

/* Sites of interpreters and of library code pass on values of many origins, more than their own
 * cache holds. `word`: the parent, and above it the node. */
#define RECENT_BITS 10u
struct recent {
    const struct whence_origin_site *site;
    uint64_t word;
};
static __thread struct recent recent[1u << RECENT_BITS];

static struct recent *recent_of(const struct whence_origin_site *site, uint32_t parent) {
    uint64_t hash = ((uintptr_t)site + parent * 0x10001ull) * 0x9E3779B97F4A7C15ull;
    return &recent[hash >> (64 - RECENT_BITS)];
}

/* The number that this thread's entry has for the two, 0 if there is none. */
static uint32_t remembered(const struct recent *entry, const struct whence_origin_site *site,
                           uint32_t parent) {
    uint64_t word = __atomic_load_n(&entry->word, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const struct whence_origin_site *known = __atomic_load_n(&entry->site, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* a signal handler may have changed the entry meanwhile */
    int fits = known == site && (uint32_t)word == parent &&
               word == __atomic_load_n(&entry->word, __ATOMIC_RELAXED);
    return fits ? (uint32_t)(word >> 32) : 0;
}

static uint32_t remember(struct recent *entry, const struct node *node) {
    uint32_t number = make(node);
    if (!number) return 0;
    __atomic_store_n(&entry->site, NULL, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&entry->word, (uint64_t)number << 32 | node->parent, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&entry->site, node->site, __ATOMIC_RELAXED);
    return number;
}

uint32_t node_step(struct whence_origin_site *site, uint32_t parent) {
    struct recent *entry = recent_of(site, parent);
    uint32_t known = remembered(entry, site, parent);
    struct node node = {.site = site, .parent = parent, .thread = node_tag(parent)};
    return known ? known : remember(entry, &node);
}

uint32_t node_cross(struct whence_origin_site *site, uint32_t parent) {
    if (is_none(parent)) return node_own();
    struct recent *entry = recent_of(site, parent);
    uint32_t known = remembered(entry, site, parent);
    struct node node = {
        .site = site, .parent = parent, .thread = node_tag(node_own()), .flags = WH_NODE_CROSSED};
    return known ? known : remember(entry, &node);
}
