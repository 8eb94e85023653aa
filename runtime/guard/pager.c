#include "pager.h"
#include "../os/mem.h"
#include "../settings/options.h"
#include "../process/thread.h"
#include "options.h"
#include "pattern.h"
#include "ready.h"
#include "store.h"
#include "trap.h"

int pager_on;

/* All blocks that one instruction and its handlers can access must fit at once. */
#define RESIDENT_LEAST 64u
#define PACKING 1u /* in guard_extra.packed while the block is being packed */

/* All small blocks have slots of one size, so an index identifies the block. */
static struct {
    struct os_lock lock;
    uint64_t most, resident; /* the limit, and the number, of blocks in the list */
    uint64_t packed;
    uint32_t oldest, newest;  /* 0: none */
    uint64_t frozen, unpacks; /* freezes in effect; blocks unpacked since the start */
    uintptr_t stage;          /* the page that is filled and then moved */
    int began, ended;
} pager;

/* ---- the lock ---- */

/* A handler of the program must not run while its thread holds the lock, because it could fault or
 * trap itself. */
#define ASYNCHRONOUS                                                                               \
    (~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(SIGTRAP)))
#define UNCHANGED UINT64_MAX /* not a mask: no mask contains SIGKILL */

uint64_t pager_lock(void) {
    uint64_t mask = UNCHANGED;
    if (pager_on || trap_is_on()) os_block_signals(ASYNCHRONOUS, &mask);
    os_lock(&pager.lock);
    return mask;
}

void pager_unlock(uint64_t token) {
    os_unlock(&pager.lock);
    if (token != UNCHANGED) os_restore_signals(token);
}

/* ---- the list of resident blocks, by age ---- */

static struct guard_extra *extra_of(uint32_t index) {
    return guard_extra((struct block){index, guard_first_shift});
}

static void append(uint32_t index) {
    struct guard_extra *extra = extra_of(index);
    extra->older = pager.newest;
    extra->newer = 0;
    extra->listed = 1;
    if (pager.newest)
        extra_of(pager.newest)->newer = index;
    else
        pager.oldest = index;
    pager.newest = index;
    pager.resident++;
}

static void drop(uint32_t index) {
    struct guard_extra *extra = extra_of(index);
    if (extra->older)
        extra_of(extra->older)->newer = extra->newer;
    else
        pager.oldest = extra->newer;
    if (extra->newer)
        extra_of(extra->newer)->older = extra->older;
    else
        pager.newest = extra->older;
    extra->listed = 0;
    pager.resident--;
}

/* ---- packing ---- */

static int is_small(struct block place) {
    if (place.region != guard_first_shift) return 0;
    uint64_t size = record_size(block_record(place.region, place.slot), place.region, place.slot);
    struct guard_span span = guard_span(place);
    return size && size <= STORE_MOST && span.end - span.begin == OS_PAGE;
}

static int is_live(struct block place) {
    return __atomic_load_n(&block_record(place.region, place.slot)->state, __ATOMIC_ACQUIRE) ==
           WH_BLOCK_LIVE;
}

static uint64_t size_of(struct block place) {
    return record_size(block_record(place.region, place.slot), place.region, place.slot);
}

static uintptr_t begin_of(struct block place) {
    return record_begin(block_record(place.region, place.slot), place.region, place.slot);
}

/* Copies the bytes while no thread can write to them. NULL: the block must stay resident. */
static void *copy_out(struct block place) {
    uintptr_t page = wh_round_down(begin_of(place), OS_PAGE);
    int alone = trap_access() == OS_READ_WRITE && !os_has_threads();
    if (!alone && os_protect(page, OS_PAGE, OS_READ) < 0) return NULL;
    if (pattern_damage(place).size) return NULL;
    void *bytes = store_take(size_of(place));
    if (bytes) wh_copy(bytes, (const void *)begin_of(place), size_of(place));
    return bytes;
}

enum packing { PACKED, IN_USE, PINNED };

static enum packing pack(struct block place) {
    struct guard_extra *extra = guard_extra(place);
    if (!is_live(place)) return IN_USE; /* another thread is freeing it */
    if (extra->flags & (GUARD_CLOSED | GUARD_READ_ONLY)) return PINNED;
    __atomic_store_n(&extra->packed, PACKING, __ATOMIC_SEQ_CST);
    int in_use = __atomic_load_n(&extra->open, __ATOMIC_SEQ_CST) != 0;
    void *bytes = in_use ? NULL : copy_out(place);
    if (bytes && os_close_pages(wh_round_down(begin_of(place), OS_PAGE), OS_PAGE) >= 0) {
        __atomic_store_n(&extra->packed, (uintptr_t)bytes, __ATOMIC_SEQ_CST);
        pager.packed++;
        return PACKED;
    }
    if (bytes) store_give(bytes, size_of(place));
    if (!in_use) options_protect(place);
    __atomic_store_n(&extra->packed, 0, __ATOMIC_SEQ_CST);
    return in_use ? IN_USE : PINNED;
}

/* Packs the oldest blocks until no more than `most` are resident. Blocks in use move to the end of
 * the list. */
static void shrink(uint64_t most) {
    for (uint64_t tries = pager.resident; tries && pager.resident > most; tries--) {
        uint32_t index = pager.oldest;
        drop(index);
        if (pack((struct block){index, guard_first_shift}) == IN_USE) append(index);
    }
}

/* ---- unpacking ---- */

/* The limit grows for a program that works on more blocks than are resident. */
#define FREE_UNPACKS 50000u
#define CPU_US_PER_UNPACK 64u /* unpacking takes about a quarter of that */
#define REVIEW_UNPACKS 4096u

static void review(void) {
    if (++pager.unpacks % REVIEW_UNPACKS == 0 &&
        pager.unpacks > FREE_UNPACKS + os_cpu_us() / CPU_US_PER_UNPACK)
        pager.most *= 2;
}

/* Where the system has no mapping left, this many other blocks are packed. */
#define SHRINK_BY 64u

/* In a process whose limit of the address space is below its present size, moving a page would lose
 * it: the kernel refuses after it has unmapped the old page. The bytes are copied instead. */
static int place_stage(uintptr_t page) {
    if (!os_memory_limited()) return os_move_page(pager.stage, page) >= 0;
    return os_write_closed(page, (const void *)pager.stage, OS_PAGE) == (long)OS_PAGE &&
           os_protect(page, OS_PAGE, OS_READ_WRITE) >= 0;
}

static int move_stage(uintptr_t page) {
    while (!place_stage(page)) {
        uint64_t before = pager.resident;
        shrink(before > SHRINK_BY ? before - SHRINK_BY : 0);
        if (pager.resident == before) return 0;
    }
    return 1;
}

static void unpack(struct block place) {
    struct guard_extra *extra = guard_extra(place);
    void *bytes = (void *)(uintptr_t)extra->packed;
    uintptr_t begin = begin_of(place), page = wh_round_down(begin, OS_PAGE);
    if (!pager.frozen && pager.most) shrink(pager.most - 1);
    pattern_lay_page(pager.stage);
    wh_copy((void *)(pager.stage + (begin - page)), bytes, size_of(place));
    if (!move_stage(page)) {
        TEXT(error, 200);
        text_put(&error, "the system gives this process no more mappings or memory (sysctl "
                         "vm.max_map_count) for a packed block: use --guard-resident 0");
        port_give_up(&error);
    }
    if (trap_is_on() && !__atomic_load_n(&extra->open, __ATOMIC_SEQ_CST)) options_protect(place);
    __atomic_store_n(&extra->packed, 0, __ATOMIC_SEQ_CST);
    store_give(bytes, size_of(place));
    pager.packed--;
    append((uint32_t)place.slot);
    review();
}

void pager_unpack(struct block place) {
    if (!pager_is_packed(place)) return;
    uint64_t token = pager_lock();
    if (guard_extra(place)->packed) unpack(place);
    pager_unlock(token);
}

/* The most faults in a row at one address of a resident block: another library may have closed its
 * page, which would fault for ever. */
#define FAULTS_AGAIN 1000u

int pager_fault(uintptr_t address) {
    static __thread struct {
        uintptr_t address;
        unsigned count;
    } last __attribute__((tls_model("initial-exec")));
    struct block place = heap_block(address);
    if (!pager_on || !place.slot || !is_small(place)) return 0;
    struct guard_span span = guard_span(place);
    if (address < span.begin || address >= span.end) return 0;
    uint64_t token = pager_lock();
    int live = is_live(place), packed = guard_extra(place)->packed != 0;
    int listed = guard_extra(place)->listed != 0;
    if (live && packed) unpack(place);
    pager_unlock(token);
    if (last.address != address || packed) last.count = 0;
    last.address = address;
    return live && (packed || (listed && last.count++ < FAULTS_AGAIN));
}

/* ---- allocation and free ---- */

static void begin_packing(void) {
    if (__atomic_exchange_n(&pager.began, 1, __ATOMIC_ACQ_REL)) return;
    pager.stage = os_map(OS_PAGE);
    if (pager.stage && ready_for_packing())
        __atomic_store_n(&pager_on, 1, __ATOMIC_SEQ_CST);
    else
        pager.ended = 1;
}

static uint64_t least_or(uint64_t wanted) {
    return wanted > RESIDENT_LEAST ? wanted : RESIDENT_LEAST;
}

void pager_born(struct block place) {
    if (!options.guard_resident || pager.ended || !is_small(place)) return;
    uint64_t token = pager_lock();
    if (!pager.most) pager.most = least_or(options.guard_resident);
    if (!pager.ended) append((uint32_t)place.slot);
    int many = pager.resident > pager.most && !pager.frozen;
    if (many && pager_on) shrink(pager.most);
    pager_unlock(token);
    if (many && !pager_on) begin_packing();
}

int pager_died(struct block place) {
    if (!options.guard_resident || !guard_is_paged(place)) return 0;
    uint64_t token = pager_lock();
    struct guard_extra *extra = guard_extra(place);
    int packed = extra->packed != 0;
    if (packed) {
        store_give((void *)(uintptr_t)extra->packed, size_of(place));
        pager.packed--;
    } else if (extra->listed)
        drop((uint32_t)place.slot);
    __atomic_store_n(&extra->packed, 0, __ATOMIC_SEQ_CST);
    pager_unlock(token);
    return packed;
}

void pager_pin(struct block place) {
    uint64_t token = pager_lock();
    if (guard_extra(place)->packed) unpack(place);
    if (guard_extra(place)->listed) drop((uint32_t)place.slot);
    pager_unlock(token);
}

uintptr_t pager_bytes(struct block place, uintptr_t begin) {
    int aligned = begin % sizeof(uint64_t) == 0; /* as the items of the store are */
    return aligned && pager_is_packed(place) ? (uintptr_t)guard_extra(place)->packed : begin;
}

/* ---- all blocks ---- */

static void unpack_all(void) {
    uint64_t cursor = 0;
    struct block place;
    while ((place = block_next(&cursor, WH_BLOCK_LIVE)).slot)
        if (pager_is_packed(place)) unpack(place);
}

int pager_packs(void) { return pager_on && pager.packed; }

void pager_freeze(void) {
    if (!pager_on) return;
    uint64_t token = pager_lock();
    pager.frozen++;
    unpack_all();
    pager_unlock(token);
}

void pager_thaw(void) {
    if (!pager_on) return;
    uint64_t token = pager_lock();
    if (pager.frozen && !--pager.frozen && !pager.ended) shrink(pager.most);
    pager_unlock(token);
}

void pager_stop(void) {
    if (!pager_on || pager.ended) return;
    pager_freeze(); /* never thawed */
    pager.ended = 1;
}
