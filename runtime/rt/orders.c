/* Orders of locks: which lock a thread has waited for while it held which others.
 *
 * Threads may come to wait for each other where these orders make a circle: each thread wants a
 * lock that the next one holds. It is one that another schedule makes true if the threads are
 * different ones, no two of them hold a lock in common (a gate), and no step comes after another
 * one by what hands over from thread to thread (pasts.h). So the circle is found without anybody
 * waiting. (Havelund 2000; Bensalem and Havelund 2005: gates, and segments between the begin and
 * the end of threads.) A lock that was only tried, or waited for with a time limit, is held like
 * others, but nobody waits for it for ever.
 *
 * An order is kept once for each thread, lock and set of held locks, as it was the last time: what
 * comes after that comes after all earlier times, too.
 */
#include "orders.h"
#include "event.h"
#include "lives.h"
#include "lock_words.h"
#include "meetings.h"
#include "pasts.h"
#include "../os/mem.h"
#include "../os/os.h"

#define HELD 12u         /* locks that a thread holds at a time, of those that are judged */
#define LOCKS (1u << 15) /* of which more than one was held */
#define ORDERS (1u << 15)
#define HEADS (1u << 13)
#define LONGEST 6u    /* threads in a circle */
#define TRIALS 10000u /* steps of a search */

/* A lock, until there is another one at its address. `birth`: of the heap block that it lies in. */
struct lock {
    uintptr_t address;
    uint64_t birth;
    uint32_t next;    /* of those with the same head */
    uint32_t holding; /* the first order in which it is held: the order's number * HELD + place */
    uint32_t seen;    /* the search that came here last */
    uint8_t is_gone;
};

struct held_lock {
    uint32_t lock, stack; /* stack: where the thread got it */
    uint32_t next;        /* as `holding` */
    uint8_t shares;
    uint64_t time;
};

struct order {
    uint64_t key, time;
    struct snapshot *past;
    uint32_t epoch, stack; /* stack: where the thread wants the lock */
    uint32_t lock, next;
    uint32_t open; /* the version of all orders in which nothing led back to a held lock */
    uint16_t thread;
    uint8_t lane, shares, count;
    struct held_lock held[HELD];
};

static struct os_lock table_lock;
static WH_WRITTEN struct lock *locks;
static WH_WRITTEN struct order *orders;
static uint32_t lock_heads[HEADS], order_heads[HEADS];
static uint32_t locks_used = 1, locks_free, orders_used = 1, orders_free;
static uint32_t version = 1, searches;
static int is_full, full_noted, many_noted, long_noted;

/* What the calling thread has come to lately. */
#define RECENT 64u
static __thread struct recent {
    uint64_t key, order_key;
    uint32_t order;
} recents[RECENT];
static __thread uint8_t is_busy; /* a handler may interrupt a search */
static __thread uintptr_t once;  /* the outermost function that is called once, if any */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

/* ---- locks ---- */

static uint64_t birth_of(uintptr_t address) {
    if (!blocks_in_heap(address)) return 0;
    struct block block = heap_block(address);
    return block_exists(block) ? block_id(block) : 0;
}

static uint32_t *head_of(uintptr_t address) { return &lock_heads[mix(0, address >> 2) % HEADS]; }

/* Also called without the lock: a lock that is found is the right one. */
static uint32_t find_lock(uintptr_t address, uint64_t birth) {
    uint32_t at = __atomic_load_n(head_of(address), __ATOMIC_ACQUIRE);
    for (unsigned i = 0; at && i < 256;
         i++, at = __atomic_load_n(&locks[at].next, __ATOMIC_RELAXED))
        if (locks[at].address == address && locks[at].birth == birth && !locks[at].is_gone)
            return at;
    return 0;
}

static uint32_t make_lock(uintptr_t address, uint64_t birth) {
    uint32_t at = find_lock(address, birth);
    if (at) return at;
    at = locks_free;
    if (at)
        locks_free = locks[at].next;
    else if (locks_used < LOCKS)
        at = locks_used++;
    else
        return 0;
    locks[at] = (struct lock){.address = address, .birth = birth, .next = *head_of(address)};
    __atomic_store_n(head_of(address), at, __ATOMIC_RELEASE);
    return at;
}

void orders_renew(uintptr_t address) {
    if (!__atomic_load_n(&locks, __ATOMIC_ACQUIRE) || is_busy) return;
    uint32_t at = find_lock(address, birth_of(address));
    if (at) __atomic_store_n(&locks[at].is_gone, 1, __ATOMIC_RELEASE);
}

/* ---- what came before ---- */

static int comes_before(const struct order *first, const struct order *then) {
    return first->lane < then->past->count && then->past->epochs[first->lane] >= first->epoch;
}

/* ---- orders ---- */

static uint32_t find_order(uint64_t key) {
    uint32_t at = order_heads[key % HEADS];
    while (at && orders[at].key != key) at = orders[at].next;
    return at;
}

static void enter_order(uint32_t at) {
    struct order *order = &orders[at];
    uint32_t *head = &order_heads[order->key % HEADS];
    order->next = *head;
    *head = at;
    for (uint32_t i = 0; i < order->count; i++) {
        struct lock *lock = &locks[order->held[i].lock];
        order->held[i].next = lock->holding;
        lock->holding = at * HELD + i;
    }
}

static int is_past(const struct order *order) {
    if (locks[order->lock].is_gone) return 1;
    for (uint32_t i = 0; i < order->count; i++)
        if (locks[order->held[i].lock].is_gone) return 1;
    return pasts_all_know(order->lane, order->epoch);
}

/* Forgets orders that no later one makes a circle with, and locks that are there no more. */
static void sweep(void) {
    uint32_t kept = 0;
    for (uint32_t i = 1; i < locks_used; i++) {
        struct lock *lock = &locks[i];
        if (lock->address && birth_of(lock->address) != lock->birth) lock->is_gone = 1;
        lock->holding = 0;
    }
    wh_fill(order_heads, 0, sizeof order_heads);
    orders_free = 0;
    for (uint32_t i = 1; i < orders_used; i++) {
        struct order *order = &orders[i];
        if (order->key && !is_past(order)) {
            enter_order(i);
            kept++;
            continue;
        }
        if (order->key) past_drop(order->past);
        *order = (struct order){.next = orders_free};
        orders_free = i;
    }
    uint32_t live = 0;
    locks_free = 0;
    for (uint32_t i = 0; i < HEADS; i++) __atomic_store_n(&lock_heads[i], 0, __ATOMIC_RELEASE);
    for (uint32_t i = 1; i < locks_used; i++) {
        struct lock *lock = &locks[i];
        if (lock->is_gone || !lock->address) {
            *lock = (struct lock){.next = locks_free, .is_gone = 1};
            locks_free = i;
            continue;
        }
        live++;
        lock->next = *head_of(lock->address);
        __atomic_store_n(head_of(lock->address), i, __ATOMIC_RELEASE);
    }
    is_full = kept > ORDERS / 8 * 7 || live > LOCKS / 8 * 7;
    if (is_full)
        rt_note(&full_noted, "the program takes more locks in more orders than are kept: later "
                             "ones are not judged");
}

static uint32_t new_order(void) {
    uint32_t at = orders_free;
    if (at)
        orders_free = orders[at].next;
    else if (orders_used < ORDERS)
        at = orders_used++;
    return at;
}

/* ---- circles ---- */

struct circle {
    const struct order *orders[LONGEST];
    uint32_t holds[LONGEST]; /* the place, in each one, of the lock that the one before wants */
    uint32_t count, trials;
};

/* The place of a lock in what is held, where those who want it have to wait; or HELD. */
static uint32_t place_in(const struct order *order, uint32_t lock, int shares) {
    for (uint32_t i = 0; i < order->count; i++)
        if (order->held[i].lock == lock && !(shares && order->held[i].shares)) return i;
    return HELD;
}

static int have_gate(const struct order *a, const struct order *b) {
    for (uint32_t i = 0; i < a->count; i++)
        if (place_in(b, a->held[i].lock, a->held[i].shares) < HELD) return 1;
    return 0;
}

static int may_meet(const struct order *a, const struct order *b) {
    return a->thread != b->thread && !comes_before(a, b) && !comes_before(b, a) && !have_gate(a, b);
}

static int may_join(const struct circle *circle, const struct order *order) {
    if (locks[order->lock].is_gone) return 0;
    for (uint32_t i = 0; i < circle->count; i++)
        if (!may_meet(circle->orders[i], order)) return 0;
    return 1;
}

/* Adds threads of which each holds what the one before wants, until the first one holds what the
 * last one wants. */
static int close_circle(struct circle *circle) {
    const struct order *first = circle->orders[0], *last = circle->orders[circle->count - 1];
    for (int closes = 1; closes >= 0; closes--) {
        for (uint32_t at = locks[last->lock].holding; at;
             at = orders[at / HELD].held[at % HELD].next) {
            const struct order *order = &orders[at / HELD];
            if (!circle->trials || !--circle->trials) return 0;
            if (order->held[at % HELD].shares && last->shares) continue;
            uint32_t place = place_in(first, order->lock, order->shares);
            if ((place < HELD) != closes || !may_join(circle, order)) continue;
            uint32_t count = circle->count++;
            circle->orders[count] = order;
            circle->holds[count] = at % HELD;
            circle->holds[0] = place;
            if (closes || (circle->count < LONGEST && close_circle(circle))) return 1;
            circle->count = count;
        }
    }
    return 0;
}

/* Whether locks that are wanted by those who hold the lock, and so on, lead to a lock that `order`
 * holds, whoever they are. */
static int leads_back(const struct order *order, uint32_t lock, unsigned depth) {
    if (locks[lock].seen == searches) return 0;
    locks[lock].seen = searches;
    for (uint32_t at = locks[lock].holding; at; at = orders[at / HELD].held[at % HELD].next) {
        uint32_t wanted = orders[at / HELD].lock;
        if (place_in(order, wanted, 0) < HELD) return 1;
        if (depth + 1 < LONGEST && leads_back(order, wanted, depth + 1)) return 1;
    }
    return 0;
}

#define TOLD 1024u
static uint64_t told[TOLD];

/* Whether these locks were not found in a circle before. */
static int is_new(const struct circle *circle) {
    uint64_t hash = circle->count;
    for (uint32_t i = 0; i < circle->count; i++) hash += mix(1, circle->orders[i]->lock);
    uint64_t *place = &told[mix(0, hash) % TOLD];
    if (*place == hash) return 0;
    *place = hash;
    return 1;
}

static void tell(struct earlier_steps *steps, const struct circle *circle) {
    const struct order *own = circle->orders[0];
    const struct held_lock *held = &own->held[circle->holds[0]];
    earlier_add(steps,
                (struct earlier){WH_EARLIER_LOCKED, 0, own->thread, held->stack, held->time});
    for (uint32_t i = 1; i < circle->count; i++) {
        const struct order *order = circle->orders[i];
        held = &order->held[circle->holds[i]];
        earlier_add(steps,
                    (struct earlier){WH_EARLIER_LOCKED, 0, order->thread, held->stack, held->time});
        earlier_add(steps,
                    (struct earlier){WH_EARLIER_NEXT, 0, order->thread, order->stack, order->time});
    }
    for (uint32_t i = 0; i < circle->count; i++) lives_tell(steps, circle->orders[i]->thread);
}

/* Looks for a circle with the order; 0: there is none, or it was told. */
static int search(struct order *order, struct earlier_steps *steps) {
    if (order->open == version) return 0;
    searches++;
    if (!leads_back(order, order->lock, 0)) {
        order->open = version;
        return 0;
    }
    struct circle circle = {.orders = {order}, .count = 1, .trials = TRIALS};
    int found = close_circle(&circle);
    if (!circle.trials)
        rt_note(&long_noted, "the program takes its locks in so many orders that not all circles "
                             "of them are looked for");
    if (!found || !is_new(&circle)) return 0;
    tell(steps, &circle);
    return 1;
}

/* ---- what a thread comes to ---- */

struct wish {
    const struct meeting *meeting;
    struct presence *presence;
    uintptr_t address;
    uint64_t births[HELD];
    const struct held *held[HELD];
    uint64_t birth, key;
    uint32_t count, stack;
    uint8_t shares, is_judged;
};

/* A lock that another thread has released is not held, though that may be wrong. */
static int is_held(const struct held *held) {
    uint32_t tid;
    if (!os_readable(held->object)) return 0;
    enum lock_state state = lock_state(held->kind, (const void *)held->object, &tid);
    return state == LOCK_UNKNOWN || (state == LOCK_HELD && (!tid || tid == thread_self.tid));
}

/* Which locks are held, each one once. 0: none, the lock itself, or too many. */
static int gather(struct wish *wish, int waits) {
    const struct presence *presence = wish->presence;
    uint64_t key = mix(mix(thread_self.number, wish->shares), wish->address);
    for (uint32_t i = 0; i < presence->count; i++) {
        const struct held *held = &presence->held[i];
        if (held->object == wish->address) {
            if (waits) continue;
            return 0;
        }
        uint32_t same = 0;
        while (same < wish->count && wish->held[same]->object != held->object) same++;
        if (same < wish->count) continue;
        if (wish->count == HELD) {
            rt_note(&many_noted, "threads hold more than 12 locks at a time: the order in which "
                                 "they take further ones is not judged");
            return 0;
        }
        wish->births[wish->count] = birth_of(held->object);
        wish->held[wish->count] = held;
        key = mix(mix(key, held->object + held->shares), wish->births[wish->count]);
        wish->count++;
    }
    if (!wish->count) return 0;
    wish->birth = birth_of(wish->address);
    key = mix(key, wish->birth);
    wish->key = key ? key : 1;
    return 1;
}

/* The numbers of descriptions, in the key, tell apart locks that were made anew. */
struct numbers {
    uint32_t own, held[HELD];
    uint64_t key;
    int are_complete;
};

static void number_locks(const struct wish *wish, struct numbers *numbers) {
    numbers->own = make_lock(wish->address, wish->birth);
    numbers->key = mix(wish->key, numbers->own);
    numbers->are_complete = numbers->own != 0;
    for (uint32_t i = 0; i < wish->count; i++) {
        numbers->held[i] = make_lock(wish->held[i]->object, wish->births[i]);
        numbers->key = mix(numbers->key, numbers->held[i]);
        numbers->are_complete &= numbers->held[i] != 0;
    }
}

/* Before an order is kept. */
static int verify(struct wish *wish) {
    for (uint32_t i = 0; i < wish->count; i++) {
        if (is_held(wish->held[i])) continue;
        presence_forget(wish->presence, wish->held[i]->object);
        return 0;
    }
    wish->is_judged = (uint8_t)judged_is(wish->meeting->frame, wish->meeting->is_checked);
    return 1;
}

static int have_memory(void) {
    if (locks && orders) return 1;
    struct lock *some = rt_private(LOCKS * sizeof *locks);
    if (!orders) orders = rt_private(ORDERS * sizeof *orders);
    if (some && orders) __atomic_store_n(&locks, some, __ATOMIC_RELEASE);
    return locks && orders;
}

static uint32_t find_wish(struct wish *wish, struct numbers *numbers) {
    number_locks(wish, numbers);
    return numbers->are_complete ? find_order(numbers->key) : 0;
}

static uint32_t make_order(struct wish *wish, struct numbers *numbers) {
    uint32_t at = numbers->are_complete ? new_order() : 0;
    if (!at && !is_full) {
        sweep();
        number_locks(wish, numbers);
        at = numbers->are_complete ? new_order() : 0;
    }
    if (!at) return 0;
    orders[at] = (struct order){.key = numbers->key, .lock = numbers->own};
    orders[at].thread = past_here->number;
    orders[at].shares = wish->shares;
    orders[at].count = wish->is_judged ? (uint8_t)wish->count : 0;
    for (uint32_t i = 0; i < wish->count; i++) orders[at].held[i].lock = numbers->held[i];
    enter_order(at);
    version++;
    return at;
}

/* The order is as it is now. */
static int renew(struct order *order, const struct wish *wish) {
    struct snapshot *snapshot = past_snapshot();
    if (!snapshot) return 0;
    past_drop(order->past);
    order->past = snapshot;
    order->epoch = past_epoch(past_here);
    order->lane = past_here->lane;
    order->stack = wish->stack;
    order->time = blocks_clock;
    past_here->has_steps = 1;
    for (uint32_t i = 0; i < wish->count; i++) {
        order->held[i].stack = wish->held[i]->stack;
        order->held[i].time = wish->held[i]->time;
        order->held[i].shares = wish->held[i]->shares;
    }
    return 1;
}

/* Whether it makes a circle with others that was not told. The order is 0 if it is not kept. */
static int keep(struct wish *wish, uint32_t *at, struct earlier_steps *steps) {
    struct numbers numbers;
    int makes = 0;
    os_lock(&table_lock);
    *at = have_memory() ? find_wish(wish, &numbers) : 0;
    if (!*at && locks) {
        os_unlock(&table_lock);
        if (!verify(wish)) return 0;
        os_lock(&table_lock);
        *at = find_wish(wish, &numbers);
        if (!*at) *at = make_order(wish, &numbers);
    }
    struct order *order = &orders[*at];
    if (*at && (!order->past || order->epoch != past_epoch(past_here)) && renew(order, wish))
        makes = order->count && search(order, steps);
    if (*at && !order->past) *at = 0;
    os_unlock(&table_lock);
    return makes;
}

/* Whether the thread came to this order lately, and has handed over nothing since. */
static int is_recent(const struct recent *recent, uint64_t key) {
    if (recent->key != key) return 0;
    const struct order *order = &orders[recent->order];
    if (order->thread != past_here->number || order->key != recent->order_key ||
        order->epoch != past_epoch(past_here) || locks[order->lock].is_gone)
        return 0;
    for (uint32_t i = 0; i < order->count; i++)
        if (locks[order->held[i].lock].is_gone) return 0;
    return 1;
}

static WH_COLD void report(const struct wish *wish, const struct earlier_steps *steps) {
    struct context context = {0};
    context.event.point = WH_POINT_LOCK_ORDER;
    context.event.value = 1;
    context.event.r = context.event.root = wish->address;
    block_read(block_at(wish->address), &context.event.block);
    context.frame = wish->meeting->frame;
    context.library = wish->meeting->function;
    context.earlier = steps;
    event_evaluate(&context);
}

static void come(struct wish *wish, int waits) {
    wish->presence = lives_presence();
    if (!wish->presence || !gather(wish, waits)) return;
    struct recent *recent = &recents[wish->key % RECENT];
    if (WH_LIKELY(is_recent(recent, wish->key))) return;
    struct earlier_steps steps = {.count = 0};
    uint32_t at = 0;
    is_busy = 1;
    int makes = keep(wish, &at, &steps);
    *recent = (struct recent){at ? wish->key : 0, at ? orders[at].key : 0, at};
    is_busy = 0;
    if (makes) report(wish, &steps);
}

/* Few locks are got while another one is held, and none matters before there are threads. */
static int may_matter(uint32_t least) {
    if (WH_LIKELY(!past_here)) return 0;
    const struct presence *presence = lives_presence();
    if (WH_LIKELY(!presence || presence->count < least)) return 0;
    return event_watched(WH_POINT_LOCK_ORDER) && !is_busy && !thread_self.in_finding &&
           !(once && (uintptr_t)__builtin_frame_address(0) < once);
}

void orders_lock(const struct meeting *meeting) {
    if (!may_matter(1)) return;
    struct wish wish = {.meeting = meeting};
    wish.address = (uintptr_t)meeting->object;
    wish.stack = lives_presence()->wait_stack;
    wish.shares = meeting->shares;
    come(&wish, 0);
}

void orders_wait(const struct meeting *meeting) {
    if (!may_matter(2)) return;
    struct wish wish = {.meeting = meeting};
    wish.address = (uintptr_t)meeting->mutex;
    wish.stack = port_stack(&thread_self, meeting->frame);
    come(&wish, 1);
}

/* ---- functions that are called once ---- */

uintptr_t orders_enter_once(const void *frame) {
    uintptr_t before = once;
    /* Frames below that of a function which an exception has left are others now. */
    if (before && before <= (uintptr_t)frame) before = once = 0;
    if (!before) once = (uintptr_t)frame;
    return before;
}

void orders_leave_once(uintptr_t before) { once = before; }

/* ---- threads ---- */

static void ends(void) {
    if (is_busy) return;
    os_lock(&table_lock);
    past_forget();
    os_unlock(&table_lock);
}

/* The threads that have made other orders are not here. */
static void forked(void) {
    table_lock = (struct os_lock){0};
    for (uint32_t i = 1; i < orders_used; i++) orders[i] = (struct order){.key = 0};
    for (uint32_t i = 1; i < locks_used; i++) locks[i] = (struct lock){.is_gone = 1};
    wh_fill(lock_heads, 0, sizeof lock_heads);
    wh_fill(order_heads, 0, sizeof order_heads);
    wh_fill(told, 0, sizeof told);
    locks_used = orders_used = 1;
    locks_free = orders_free = 0;
    past_forget();
}

const struct observer orders_observer = {
    .points = 1ull << WH_POINT_LOCK_ORDER,
    .ends = ends,
    .forked = forked,
};
