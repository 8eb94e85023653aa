#include "depot.h"
#include "../os/invariant.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "whence_abi.h"

#define BUCKETS (1u << 20)
#define UNIT 16u

struct node {
    uint32_t next;
    uint32_t count;
    uint64_t hash;
    uint64_t pcs[];
};

/* The first part of the range is the table of buckets, so no node has handle 0. */
static uint32_t *const buckets = (uint32_t *)WH_DEPOT_BASE;
static uint64_t used = BUCKETS * sizeof(uint32_t);

long depot_init(uintptr_t *begin, size_t *size) {
    *begin = WH_DEPOT_BASE;
    *size = WH_DEPOT_SIZE;
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

/* Whether something of the depot is there: a node's begin, or its middle. */
static int is_within(uint32_t handle) {
    uint64_t at = (uint64_t)handle * UNIT;
    return at >= BUCKETS * sizeof(uint32_t) && at < __atomic_load_n(&used, __ATOMIC_RELAXED);
}

static uint32_t *bucket_of(uint64_t hash) { return &buckets[(hash >> 40) % BUCKETS]; }

static struct node *node_at(uint32_t handle) {
    WH_INVARIANT(is_within(handle));
    return (struct node *)(WH_DEPOT_BASE + (uintptr_t)handle * UNIT);
}

/* The hash of a stack is taken for the stack, as in the caches: to read all of it would cost a miss
 * of the processor's cache for each eight frames. */
static int same(const struct node *node, const uint64_t *pcs, unsigned count, uint64_t hash) {
    return node->hash == hash && node->count == count && node->pcs[0] == pcs[0];
}

static uint32_t lookup(uint32_t from, const uint64_t *pcs, unsigned count, uint64_t hash) {
    for (uint32_t handle = from; handle; handle = node_at(handle)->next)
        if (same(node_at(handle), pcs, count, hash)) return handle;
    return 0;
}

static uint32_t new_node(const uint64_t *pcs, unsigned count, uint64_t hash) {
    uint64_t bytes = wh_round_up(sizeof(struct node) + count * sizeof *pcs, UNIT);
    uint64_t at = os_add(&used, bytes) - bytes;
    if (at + bytes > WH_DEPOT_SIZE) return 0;
    uint32_t handle = (uint32_t)(at / UNIT);
    struct node *node = node_at(handle);
    node->count = count;
    node->hash = hash;
    for (unsigned i = 0; i < count; i++) node->pcs[i] = pcs[i];
    return handle;
}

uint32_t depot_put(const uint64_t *pcs, unsigned count, uint64_t hash) {
    if (count == 0) return 0;
    uint32_t *bucket = bucket_of(hash);
    uint32_t head = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    uint32_t handle = lookup(head, pcs, count, hash);
    if (handle || !(handle = new_node(pcs, count, hash))) return handle;
    for (;;) {
        node_at(handle)->next = head;
        if (__atomic_compare_exchange_n(bucket, &head, handle, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE))
            return handle;
        uint32_t other = lookup(head, pcs, count, hash);
        if (other) return other; /* another thread was quicker; our node stays unused */
    }
}

/* In the middle of a node there is no hash by whose bucket it would be found. */
int depot_has(uint32_t handle) {
    if (!is_within(handle)) return 0;
    uint32_t other = __atomic_load_n(bucket_of(node_at(handle)->hash), __ATOMIC_ACQUIRE);
    while (other && other != handle) other = node_at(other)->next;
    return other == handle;
}

unsigned depot_get(uint32_t handle, uint64_t *pcs, unsigned max) {
    if (!handle) return 0;
    const struct node *node = node_at(handle);
    unsigned count = node->count < max ? node->count : max;
    for (unsigned i = 0; i < count; i++) pcs[i] = node->pcs[i];
    return count;
}
