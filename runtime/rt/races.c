#include "races.h"
#include "event.h"
#include "lives.h"
#include "meetings.h"
#include "../os/mem.h"
#include "../process/images.h"
#include "../races/cells.h"
#include "../races/clocks.h"

#include <errno.h>

/* 1 while there are threads beside the first one. Until it makes one, and when it has joined all,
 * what it does is ordered with all that they do. */
WH_EXPORT uint8_t __whence_racing;

/* ---- accesses ---- */

struct access {
    struct cell_access cells;
    const struct frame *frame;
    const char *function;
    uintptr_t at;
    uint64_t size;
    uint64_t how; /* CELL_* */
    uint32_t stack;
    uint8_t frees;
};

static uint32_t stack_of(struct cell_access *cells) {
    struct access *access = WH_CONTAINER(cells, struct access, cells);
    if (!access->stack) access->stack = port_stack(&thread_self, access->frame);
    return access->stack;
}

static void tell_locks(struct earlier_steps *steps) {
    const struct presence *presence = lives_presence();
    for (uint32_t i = 0; presence && i < presence->count; i++) {
        const struct held *held = &presence->held[i];
        if (steps->count + 2 < WH_EARLIER_MOST)
            earlier_add(steps, (struct earlier){WH_EARLIER_LOCKED, 0, presence->number, held->stack,
                                                held->time});
    }
}

static WH_COLD void report(struct cell_access *cells, const struct step *earlier) {
    struct access *access = WH_CONTAINER(cells, struct access, cells);
    if (!event_watched(WH_POINT_SHARE)) return;
    /* Where a library frees a block, its own order of steps is not known. */
    if (access->frees && !judged_stack(stack_of(cells))) return;
    uint16_t other = racer_at(earlier->lane, earlier->epoch);
    struct earlier_steps steps = {.count = 0};
    struct context context = {0};
    context.event.point = WH_POINT_SHARE;
    context.event.r = context.event.root = access->at;
    context.event.width = access->size;
    context.event.value = !!(access->how & CELL_WRITES);
    context.event.other = earlier->writes;
    context.event.least = access->how & CELL_ATOMIC && earlier->is_atomic;
    context.event.low = access->frees;
    block_read(block_around(access->at), &context.event.block);
    earlier_add(&steps, (struct earlier){earlier->writes ? WH_EARLIER_WROTE : WH_EARLIER_READ, 0,
                                         other, earlier->stack, 0});
    lives_tell(&steps, other);
    tell_locks(&steps);
    lives_tell(&steps, thread_self.number);
    context.frame = access->frame;
    context.library = access->function;
    context.earlier = &steps;
    event_evaluate(&context);
}

static __attribute__((noinline)) void judge_bytes(const struct frame *frame, const char *function,
                                                  uintptr_t at, uint64_t size, uint64_t how,
                                                  int frees) {
    struct racer *racer = racer_here;
    if (!racer || thread_self.in_finding || racer->is_busy) return;
    struct access access = {{stack_of, report}, frame, function, at, size, how, 0, (uint8_t)frees};
    cells_access(racer, at, size, how, &access.cells);
}

/* Whether the cells have the access, of a size from 1 on, already; or nothing is recorded here. */
static inline int is_known(uintptr_t at, uint64_t size, uint64_t how) {
    const struct racer *racer = racer_here;
    uintptr_t offset = at % WH_GRANULE;
    if (WH_UNLIKELY(!racer)) return 1;
    if (WH_UNLIKELY(size > WH_GRANULE - offset)) return 0;
    return cells_know(at - offset, cell_word(racer, (0xffu >> (WH_GRANULE - size)) << offset, how));
}

static inline void judge(const struct frame *frame, const char *function, uintptr_t at,
                         uint64_t size, uint64_t how, int frees) {
    if (size && !is_known(at, size, how)) judge_bytes(frame, function, at, size, how, frees);
}

void races_range(uintptr_t at, uint64_t size, int writes, const char *function,
                 const struct frame *frame) {
    judge(frame, function, at, size, writes ? CELL_WRITES : 0, 0);
}

static inline uint64_t bits_of(uint32_t how) {
    return (how & WHENCE_RACE_WRITES ? CELL_WRITES : 0) |
           (how & WHENCE_RACE_ATOMIC ? CELL_ATOMIC : 0);
}

WH_EXPORT void __whence_race_access(uint64_t at, uint64_t size, uint32_t how) {
    judge(FRAME_HERE, NULL, at, size, bits_of(how), 0);
}

/* What is commonest has functions of its own, for which the compiler computes the most. */
#define ACCESS(name, size, how)                                                                    \
    WH_EXPORT void __whence_race_##name##size(uint64_t at) {                                       \
        judge(FRAME_HERE, NULL, at, size, how, 0);                                                 \
    }
#define BOTH(size) ACCESS(reads, size, 0) ACCESS(writes, size, CELL_WRITES)
BOTH(1)
BOTH(2)
BOTH(4)
BOTH(8)
BOTH(16)

WH_EXPORT void __whence_race_stride(uint64_t at, int64_t span, int64_t step, uint32_t size,
                                    uint32_t how) {
    uint64_t apart = (uint64_t)(step < 0 ? -step : step), bits = bits_of(how);
    uint64_t length = (uint64_t)(step < 0 ? -span : span);
    if ((int64_t)length <= 0) return;
    uint64_t low = step < 0 ? at - length + apart : at;
    if (apart <= size) {
        judge(FRAME_HERE, NULL, low, length - apart + size, bits, 0);
        return;
    }
    for (uint64_t passed = 0; passed < length; passed += apart)
        judge(FRAME_HERE, NULL, low + passed, size, bits, 0);
}

/* ---- atomic operations ---- */

WH_EXPORT void __whence_race_before(uint64_t at, uint64_t size, uint32_t how) {
    struct racer *racer = racer_here;
    judge(FRAME_HERE, NULL, at, size, CELL_ATOMIC | (how & WHENCE_RACE_WRITES ? CELL_WRITES : 0),
          0);
    if (!racer || !(how & WHENCE_RACE_WRITES)) return;
    struct clock *clock =
        how & WHENCE_RACE_RELEASES || racer->fenced.count ? clock_at(at, 1) : NULL;
    if (!clock) return;
    if (how & WHENCE_RACE_RELEASES) {
        clock_release(racer, clock);
        return;
    }
    clock_join(clock, &racer->fenced);
}

WH_EXPORT void __whence_race_after(uint64_t at, uint32_t how) {
    struct racer *racer = racer_here;
    struct clock *clock = racer ? clock_at(at, 0) : NULL;
    if (!clock) return;
    if (how & WHENCE_RACE_ACQUIRES)
        clock_acquire(racer, clock);
    else
        clock_join(&racer->wanted, clock);
}

WH_EXPORT void __whence_race_fence(uint32_t how) {
    struct racer *racer = racer_here;
    if (!racer) return;
    if (how & WHENCE_RACE_ACQUIRES) clock_acquire(racer, &racer->wanted);
    if (how & WHENCE_RACE_RELEASES) clock_release(racer, &racer->fenced);
}

/* The destructors of a class with bases store which class an object is, again and again: while it
 * stays what it is, other threads may look. */
WH_EXPORT void __whence_race_class(uint64_t at, uint64_t class) {
    uint64_t now;
    wh_copy(&now, (const void *)at, sizeof now);
    judge(FRAME_HERE, NULL, at, sizeof now, now != class ? CELL_WRITES : 0, 0);
}

/* ---- code that is not seen ---- */

/* What it does with threads and memory is not known: what a thread has done before it calls such
 * code is taken to be before what others do behind their calls. */
static struct clock unseen;

/* Functions that were asked about, by their addresses. */
#define KNOWN 1024u
static uint64_t
    known[KNOWN]; /* the address, and in the upper half of the word whether it is seen */
#define SEEN (1ull << 63)

static int is_seen(uint64_t function) {
    uint64_t *place = &known[(function >> 4) % KNOWN];
    uint64_t word = __atomic_load_n(place, __ATOMIC_RELAXED);
    if ((word & ~SEEN) != function) {
        word = function | (images_kind(function) == IMAGE_OTHER ? 0 : SEEN);
        __atomic_store_n(place, word, __ATOMIC_RELAXED);
    }
    return !!(word & SEEN);
}

static void leave(void) {
    if (racer_here) clock_release(racer_here, &unseen);
}

static void come_back(void) {
    struct racer *racer = racer_here;
    uint32_t version = __atomic_load_n(&unseen.version, __ATOMIC_ACQUIRE);
    if (!racer || racer->is_busy || racer->seen == version) return;
    racer->seen = version;
    clock_acquire(racer, &unseen);
}

WH_EXPORT void __whence_race_leave(uint64_t function) {
    if (!function || !is_seen(function)) leave();
}

WH_EXPORT void __whence_race_return(uint64_t function) {
    if (!function || !is_seen(function)) come_back();
}

/* ---- events ---- */

static uint32_t others; /* threads that nobody has joined */

static void creates(struct new_thread *thread) {
    if (!racers_begin(thread_self.number)) return;
    if (!racer_new(thread->number, thread->detached)) return;
    __atomic_add_fetch(&others, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&__whence_racing, 1, __ATOMIC_RELEASE);
}

static void begins(const struct new_thread *thread) { racer_enter(thread->number); }

static void ends(void) { racer_ended(); }

static void parted(const struct thread_parting *parting, int error) {
    if (error || parting->number > UINT16_MAX) return;
    if (parting->detaches) {
        racer_detached((uint16_t)parting->number);
        return;
    }
    racer_joined((uint16_t)parting->number);
    if (!__atomic_sub_fetch(&others, 1, __ATOMIC_RELAXED) && !thread_self.number)
        __atomic_store_n(&__whence_racing, 0, __ATOMIC_RELEASE);
}

/* Those who share a lock are not ordered by it: what they release is for who gets it alone. */
static uintptr_t shared_place(uintptr_t object) { return object + WH_GRANULE; }

/* Whether this thread holds the lock together with others. */
static int is_shared(uintptr_t object) {
    const struct held *held = presence_held(lives_presence(), object);
    return held && held->shares;
}

void races_release(uintptr_t at) {
    struct clock *clock = racer_here ? clock_at(at, 1) : NULL;
    if (clock) clock_release(racer_here, clock);
}

void races_acquire(uintptr_t at) {
    struct clock *clock = racer_here ? clock_at(at, 0) : NULL;
    if (clock) clock_acquire(racer_here, clock);
}

/* What threads meet at is made and ended as memory is written; what they do there in between is
 * atomic. The first bytes stand for all. */
static void use(const struct meeting *meeting) {
    int is_alone = meeting->step == MEET_INIT || meeting->step == MEET_DESTROY;
    judge(meeting->frame, meeting->function, (uintptr_t)meeting->object, sizeof(int),
          is_alone ? CELL_WRITES : CELL_WRITES | CELL_ATOMIC, 0);
}

static void meets(const struct meeting *meeting) {
    uintptr_t object = (uintptr_t)meeting->object;
    if (!racer_here || !__whence_racing) return;
    use(meeting);
    switch (meeting->step) {
    case MEET_UNLOCK:
        if (meeting->kind == MEET_SHARED) races_release(shared_place(object));
        if (meeting->kind != MEET_SHARED || !is_shared(object)) races_release(object);
        break;
    case MEET_SIGNAL: races_release(object); break;
    case MEET_WAIT:
        if (meeting->mutex) races_release((uintptr_t)meeting->mutex);
        if (meeting->kind == MEET_BARRIER) races_release(object);
        break;
    default: break;
    }
}

static void met(const struct meeting *meeting, int result) {
    uintptr_t object = (uintptr_t)meeting->object;
    if (!racer_here || !__whence_racing) return;
    switch (meeting->step) {
    case MEET_LOCK:
    case MEET_TRY:
    case MEET_UNTIL:
    case MEET_WAIT:
        if (meeting->step == MEET_WAIT && meeting->mutex) races_acquire((uintptr_t)meeting->mutex);
        if (result && meeting->kind != MEET_BARRIER && meeting->step != MEET_WAIT &&
            result != EOWNERDEAD)
            break;
        races_acquire(object);
        if (meeting->kind == MEET_SHARED && !meeting->shares) races_acquire(shared_place(object));
        break;
    /* Who sees what the signal tells of without waiting may end the condition variable meanwhile.
     */
    case MEET_SIGNAL:
        if (meeting->kind == MEET_CONDITION) use(meeting);
        break;
    default: break;
    }
}

/* What a thread has done before it writes to a descriptor is taken to be before what others do when
 * they have read something. */
static struct clock outside;

static void departs(const char *function) {
    (void)function;
    if (RACES_ON && racer_here) clock_release(racer_here, &outside);
}

void races_arrived(void) {
    if (racer_here) clock_acquire(racer_here, &outside);
}

static void arrived(const struct transfer *transfer) {
    (void)transfer;
    if (RACES_ON) races_arrived();
}

static void taken(const char *function, struct intake *intake, int all) {
    (void)function, (void)intake, (void)all;
    if (RACES_ON) races_arrived();
}

static void returned(const char *function, const struct frame *frame, struct intake *intake,
                     uint8_t byte) {
    (void)function, (void)frame, (void)intake, (void)byte;
    if (RACES_ON) races_arrived();
}

/* Who has installed a handler, or sent a signal by a call that is not seen, did so before it
 * begins. */
static void installs(void) {
    if (RACES_ON) leave();
}

static void handles(void) {
    if (RACES_ON) come_back();
}

/* Nothing was recorded before there was a racer. */
static void clear(uintptr_t begin, uint64_t size) {
    if (!racers_known()) return;
    cells_clear(begin, size);
    clocks_clear(begin, size);
}

static void made(const struct made_block *block) { clear(block->begin, block->request->size); }

static void freed(uintptr_t begin) {
    if (!racers_known()) return;
    struct block block = block_at(begin);
    uint64_t size = block_exists(block) ? block_size(block) : 0;
    if (RACES_ON) judge(FRAME_HERE, "free", begin, size, CELL_WRITES, 1);
    clear(begin, size);
}

static void moves(const struct block_move *move) { clear(move->target, move->size); }

static void extended(struct block block, uint64_t from, const struct frame *frame) {
    (void)frame;
    clear(block_begin(block) + from, block_size(block) - from);
}

static void forked(void) {
    racers_forked();
    unseen.lock = outside.lock = (struct os_lock){0};
    __whence_racing = 0;
    others = 0;
}

const struct observer races_observer = {
    .points = 1ull << WH_POINT_SHARE,
    .made = made,
    .freed = freed,
    .moves = moves,
    .extended = extended,
    .mapped = clear,
    .unmapped = clear,
    .renews = clear,
    .creates = creates,
    .begins = begins,
    .ends = ends,
    .parted = parted,
    .meets = meets,
    .met = met,
    .installs = installs,
    .handles = handles,
    .departs = departs,
    .arrived = arrived,
    .taken = taken,
    .returned = returned,
    .forked = forked,
};
