#include "turns.h"
#include "thread.h"

int turns_mode;

static struct whence_outside_header *header;
static struct whence_turn *turns;
static uint64_t known; /* behind the last turn of this program in the first run */
static uint64_t begin; /* its first one */

/* ---- keeping ---- */

/* Pages of the file get room before they are written to: without room, that would be a signal. */
#define AHEAD (1u << 14)

static int make_room(uint64_t number) {
    if (number % AHEAD && number != begin) return 1;
    uint64_t end = wh_round_up(number + 1, AHEAD) + AHEAD;
    if (end > WH_TURNS_MOST) end = WH_TURNS_MOST;
    uintptr_t from = wh_round_down((uintptr_t)&turns[number], OS_PAGE);
    return os_populate(from, (uintptr_t)&turns[end] - from);
}

static void stop_keeping(void) {
    __atomic_or_fetch(&header->astray, WH_ASTRAY_FULL, __ATOMIC_RELAXED);
    __atomic_store_n(&turns_mode, WH_OUTSIDE_NONE, __ATOMIC_RELAXED);
}

void turns_keep(unsigned kind, uint32_t result) {
    uint64_t number = __atomic_fetch_add(&header->turns, 1, __ATOMIC_RELAXED);
    if (number >= WH_TURNS_MOST || !make_room(number)) {
        stop_keeping();
        return;
    }
    struct whence_turn *turn = &turns[number];
    turn->thread = thread_here()->number;
    turn->result = result;
    __atomic_store_n(&turn->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

/* ---- repeating ---- */

static uint64_t position; /* whose turn it is, of `turns` */

/* Threads wait at one of these words, which changes when one of its threads gets its turn. */
#define WORDS 64u
static uint32_t words[WORDS];

static uint32_t *word_of(unsigned thread) { return &words[thread % WORDS]; }

/* A thread looks around so often while it waits. All others may be blocked for some time, or
 * compute for a longer one, without a turn; where it is longer, they took another way. */
#define LOOK_US 100000u
#define BLOCKED_LOOKS 100u
#define BUSY_LOOKS 3000u

static __thread uint64_t cursor; /* the thread's next turn, or a turn of another before it */
static __thread int in_turn;

static int is_lost(void) {
    return __atomic_load_n(&turns_mode, __ATOMIC_ACQUIRE) != WH_OUTSIDE_REPEAT;
}

static void wake(uint32_t *word) {
    __atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
    os_futex_wake(word);
}

static void lose(void) {
    __atomic_or_fetch(&header->astray, WH_ASTRAY_TURN, __ATOMIC_RELAXED);
    __atomic_store_n(&turns_mode, WH_OUTSIDE_NONE, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < WORDS; i++) wake(&words[i]);
}

/* The thread's next turn; `known` if it had no more. */
static uint64_t find(void) {
    uint16_t number = thread_here()->number;
    if (cursor < begin) cursor = begin;
    while (cursor < known && turns[cursor].thread != number) cursor++;
    return cursor;
}

int turns_expect(unsigned kind) {
    if (is_lost() || in_turn) return 0;
    uint64_t at = find();
    if (at == known) return 0;
    if (turns[at].kind == kind) return 1;
    lose();
    return 0;
}

int turns_try(unsigned kind) {
    if (is_lost() || in_turn) return 0;
    uint64_t at = find();
    in_turn =
        at < known && turns[at].kind == kind && __atomic_load_n(&position, __ATOMIC_ACQUIRE) == at;
    return in_turn;
}

void turns_leave(void) { in_turn = 0; }

/* What a waiting thread has seen. */
struct watch {
    uint64_t position, cpu;
    unsigned blocked, busy;
};

/* One look; afterwards threads may no longer wait. */
static void look(struct watch *watch, uint32_t *word, uint32_t seen) {
    os_futex_wait(word, seen, LOOK_US);
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen) return;
    uint64_t now = __atomic_load_n(&position, __ATOMIC_RELAXED), cpu = os_cpu_us();
    if (now != watch->position) {
        *watch = (struct watch){now, cpu, 0, 0};
        return;
    }
    watch->busy++;
    watch->blocked = cpu - watch->cpu > LOOK_US / 50 ? 0 : watch->blocked + 1;
    watch->cpu = cpu;
    if (watch->blocked > BLOCKED_LOOKS || watch->busy > BUSY_LOOKS) lose();
}

int turns_await(unsigned kind, uint32_t *result) {
    if (!turns_expect(kind)) return 0;
    uint64_t at = cursor;
    uint32_t *word = word_of(turns[at].thread);
    struct watch watch = {0, 0, 0, 0};
    for (;;) {
        uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (is_lost()) return 0;
        if (__atomic_load_n(&position, __ATOMIC_ACQUIRE) == at) break;
        look(&watch, word, seen);
    }
    in_turn = 1;
    *result = turns[at].result;
    return 1;
}

void turns_end(void) {
    in_turn = 0;
    uint64_t next = ++cursor;
    __atomic_store_n(&position, next, __ATOMIC_RELEASE);
    if (next < known && turns[next].thread != turns[next - 1].thread)
        wake(word_of(turns[next].thread));
}

int turns_pause(void) {
    static __thread struct watch watch;
    uint32_t *word = word_of(thread_here()->number);
    look(&watch, word, __atomic_load_n(word, __ATOMIC_ACQUIRE));
    return !is_lost();
}

/* ---- the heap ---- */

static struct os_lock heap_lock; /* in the first run */
static __thread int heap_locked, heap_turn;

void turns_begin_heap(void) {
    if (!TURNS_TAKEN) return;
    uint32_t result;
    if (TURNS_KEPT) {
        os_lock(&heap_lock);
        heap_locked = 1;
        turns_keep(WH_TURN_HEAP, 0);
    } else {
        heap_turn = turns_await(WH_TURN_HEAP, &result);
    }
}

void turns_end_heap(void) {
    if (WH_UNLIKELY(heap_turn)) {
        heap_turn = 0;
        turns_end();
    }
    if (WH_UNLIKELY(heap_locked)) {
        heap_locked = 0;
        os_unlock(&heap_lock);
    }
}

void turns_lock(void) { os_lock(&heap_lock); }

void turns_unlock(void) { os_unlock(&heap_lock); }

/* ---- begin and end ---- */

static void find_program(uint32_t program) {
    uint64_t end = header->turns < WH_TURNS_MOST ? header->turns : WH_TURNS_MOST;
    for (begin = 0; begin < end; begin++)
        if (turns[begin].kind == WH_TURN_PROGRAM && turns[begin].result == program) break;
    if (begin < end) begin++;
    for (known = begin; known < end; known++)
        if (!turns[known].kind || turns[known].kind == WH_TURN_PROGRAM) break;
    position = cursor = begin;
}

void turns_begin(int mode, struct whence_outside_header *room, uint32_t program) {
    header = room;
    turns = (void *)((uintptr_t)room + WH_TURNS_AT);
    if (mode == WH_OUTSIDE_KEEP) {
        begin = header->turns;
        turns_keep(WH_TURN_PROGRAM, program);
    } else {
        find_program(program);
    }
    if (!(header->astray & WH_ASTRAY_FULL) || mode == WH_OUTSIDE_REPEAT) turns_mode = mode;
}

void turns_forked(void) {
    turns_mode = WH_OUTSIDE_NONE;
    heap_turn = heap_locked = in_turn = 0;
}
