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

const struct node *node_at(uint32_t number) { return number ? &NODES[number] : NULL; }

static uint64_t hash_of(const struct node *node) {
    uint64_t hash = (uintptr_t)node->site * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ hash >> 29 ^ node->parent) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 32 ^ node->flags) * 0x94D049BB133111EBull;
    return hash ^ hash >> 31;
}

/* Nodes whose numbers are in the index are complete but for what they stand for. */
static int is_same(const struct node *known, const struct node *node) {
    return known->site == node->site && known->parent == node->parent &&
           known->flags == node->flags;
}

static uint32_t take_number(void) {
    static uint32_t used;
    uint32_t number = __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED);
    if (number < WH_ORIGIN_NODES_MOST) return number;
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
            if (!own && !(own = take_number())) return 0;
            NODES[own] = *node;
            if (__atomic_compare_exchange_n(entry, &number, own, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
                *is_new = 1;
                return own;
            }
        }
        if (is_same(&NODES[number], node)) return number;
    }
}

/* The node of the same site in a chain, 0 if there is none. */
static uint32_t earlier(const struct node *node) {
    for (uint32_t number = node->parent; number; number = NODES[number].parent)
        if (NODES[number].site == node->site) return number;
    return 0;
}

static uint32_t shortened(const struct node *node) {
    uint32_t before = earlier(node);
    if (!before) return 0;
    if (NODES[before].flags & WH_NODE_REPEATED) return before;
    struct node again = {.site = node->site,
                         .parent = NODES[before].parent,
                         .flags = node->flags | WH_NODE_REPEATED};
    int is_new;
    uint32_t number = find(&again, &is_new);
    if (number) __atomic_store_n(&NODES[number].stands, number, __ATOMIC_RELEASE);
    return number;
}

uint32_t node_make(struct whence_origin_site *site, uint32_t parent, uint32_t flags) {
    struct node node = {.site = site, .parent = parent, .flags = flags};
    int is_new;
    uint32_t number = find(&node, &is_new);
    if (!number) return 0;
    uint32_t stands = __atomic_load_n(&NODES[number].stands, __ATOMIC_ACQUIRE);
    if (!stands) {
        stands = shortened(&node);
        if (!stands) stands = number;
        __atomic_store_n(&NODES[number].stands, stands, __ATOMIC_RELEASE);
    }
    return stands;
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

uint32_t node_step(struct whence_origin_site *site, uint32_t parent) {
    struct recent *entry = recent_of(site, parent);
    uint64_t word = __atomic_load_n(&entry->word, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const struct whence_origin_site *known = __atomic_load_n(&entry->site, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* a signal handler may have changed the entry meanwhile */
    if (known == site && (uint32_t)word == parent &&
        word == __atomic_load_n(&entry->word, __ATOMIC_RELAXED))
        return (uint32_t)(word >> 32);
    uint32_t node = node_make(site, parent, 0);
    if (!node) return 0;
    __atomic_store_n(&entry->site, NULL, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&entry->word, (uint64_t)node << 32 | parent, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&entry->site, site, __ATOMIC_RELAXED);
    return node;
}
