#include "depot.h"
#include "../os/invariant.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "whence_abi.h"

#define BUCKETS (1u << 20)

/* A stack. Entries stand side by side, apart from the frames: a look-up reads a bucket and an
 * entry, and programs have so many stacks that all of them miss the processor's caches. */
struct entry {
    uint64_t key;
    uint32_t next; /* the entry of the same bucket that was made before; 0: none */
    uint32_t at;   /* of its frames, in units: their number, then they; 0: not yet */
};

/* Handles lie apart, so that a handle of which other code has changed a digit, in a word of
 * undefined memory, rarely is another stack's. Their bits are those that origins have. */
#define SPREAD 13u
#define ENTRIES ((1u << (WH_STACK_ORIGIN_DIGITS * WH_STACK_ORIGIN_DIGIT_BITS)) / SPREAD)
#define ENTRIES_BEGIN (BUCKETS * sizeof(uint32_t))
#define FRAMES_BEGIN (ENTRIES_BEGIN + ENTRIES * sizeof(struct entry))
#define UNIT 16u
_Static_assert(FRAMES_BEGIN % UNIT == 0 && FRAMES_BEGIN < WH_DEPOT_SIZE, "the frames' begin");
_Static_assert(WH_DEPOT_SIZE / UNIT - 1 <= UINT32_MAX, "places of frames");

static uint32_t *const buckets = (uint32_t *)WH_DEPOT_BASE;
static struct entry *const entries = (struct entry *)(WH_DEPOT_BASE + ENTRIES_BEGIN);
/* Entry 0 is none. */
static uint64_t entries_used = 1;
static uint64_t used = FRAMES_BEGIN;

long depot_init(uintptr_t *begin, size_t *size) {
    *begin = WH_DEPOT_BASE;
    *size = WH_DEPOT_SIZE;
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

/* The key is taken for the stack: to compare frames would cost a miss for each eight of them. */
static uint64_t key_of(const uint64_t *pcs, unsigned count, uint64_t hash) {
    return depot_hash_step(depot_hash_step(hash, count), pcs[0]);
}

static uint32_t *bucket_of(uint64_t key) { return &buckets[(key >> 40) % BUCKETS]; }

static uint32_t look_up(uint32_t from, uint64_t key) {
    uint32_t at = from;
    while (at && entries[at].key != key) at = entries[at].next;
    return at;
}

static uint32_t new_entry(const uint64_t *pcs, unsigned count, uint64_t key) {
    uint64_t bytes = wh_round_up((1 + count) * sizeof *pcs, UNIT);
    uint64_t at = os_add(&used, bytes) - bytes;
    if (at + bytes > WH_DEPOT_SIZE) return 0;
    uint64_t number = os_add(&entries_used, 1) - 1;
    if (number >= ENTRIES) return 0;
    uint64_t *frames = (uint64_t *)(WH_DEPOT_BASE + at);
    frames[0] = count;
    for (unsigned i = 0; i < count; i++) frames[1 + i] = pcs[i];
    entries[number].key = key;
    __atomic_store_n(&entries[number].at, (uint32_t)(at / UNIT), __ATOMIC_RELEASE);
    return (uint32_t)number;
}

static uint32_t put(const uint64_t *pcs, unsigned count, uint64_t key) {
    uint32_t *bucket = bucket_of(key);
    uint32_t head = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    uint32_t number = look_up(head, key);
    if (number || !(number = new_entry(pcs, count, key))) return number;
    for (;;) {
        entries[number].next = head;
        if (__atomic_compare_exchange_n(bucket, &head, number, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE))
            return number;
        uint32_t other = look_up(head, key);
        if (other) return other; /* another thread was quicker; our entry stays unused */
    }
}

uint32_t depot_put(const uint64_t *pcs, unsigned count, uint64_t hash) {
    return count ? put(pcs, count, key_of(pcs, count, hash)) * SPREAD : 0;
}

/* The frames' number and they; NULL: there is no such stack. */
static const uint64_t *frames_of(uint32_t handle) {
    uint32_t number = handle / SPREAD;
    if (handle % SPREAD || !number || number >= ENTRIES) return NULL;
    if (number >= __atomic_load_n(&entries_used, __ATOMIC_RELAXED)) return NULL;
    uint32_t at = __atomic_load_n(&entries[number].at, __ATOMIC_ACQUIRE);
    return at ? (const uint64_t *)(WH_DEPOT_BASE + (uint64_t)at * UNIT) : NULL;
}

uint32_t depot_number(uint32_t handle) { return handle / SPREAD; }

uint32_t depot_handle(uint32_t number) { return number * SPREAD; }

int depot_has(uint32_t handle) { return frames_of(handle) != NULL; }

unsigned depot_get(uint32_t handle, uint64_t *pcs, unsigned max) {
    const uint64_t *frames = frames_of(handle);
    WH_INVARIANT(frames || !handle);
    if (!frames) return 0;
    unsigned count = frames[0] < max ? (unsigned)frames[0] : max;
    for (unsigned i = 0; i < count; i++) pcs[i] = frames[1 + i];
    return count;
}
