#include "histories.h"
#include "../findings/rules.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/thread.h"

/* Events lie in the order in which their words first came; `slots` is a hash table of their
 * numbers, from 1 on, with linear probing, of which at most half is in use. */
struct entry {
    struct whence_past event; /* hidden */
    uint32_t stack;           /* in the depot */
};

struct kept {
    struct entry *entries;
    uint64_t count, capacity;
    uint32_t *slots;
    uint64_t slot_count;
    int lost; /* an event found no room: what is not there may have happened */
};

/* About 80 MB of events for each history. */
#define MOST_EVENTS (1ull << 20)
#define FIRST_EVENTS 64u

static struct kept *all;
static struct os_lock lock;

void histories_lock(void) { os_lock(&lock); }

void histories_unlock(void) { os_unlock(&lock); }

/* A signal handler that interrupts the thread here must not wait for it. */
static int enter(struct thread *thread) {
    if (thread->recalling) return 0;
    thread->recalling = 1;
    os_lock(&lock);
    return 1;
}

static void leave(struct thread *thread) {
    os_unlock(&lock);
    thread->recalling = 0;
}

/* An event with the complements of its words, and back: a leak search reads this memory, and what
 * was passed to a function once is no pointer that the program has. */
static struct whence_past hidden(const struct whence_past *event) {
    struct whence_past other = {event->time, {0}};
    for (unsigned word = 0; word < WHENCE_WORDS; word++) other.words[word] = ~event->words[word];
    return other;
}

static struct kept *kept_of(uint64_t history) {
    if (!all) all = rt_private(rules_current->history_count * sizeof *all);
    return all ? &all[history] : NULL;
}

static uint64_t hash_of(const struct whence_history *history, const struct whence_past *event) {
    uint64_t hash = 0;
    for (unsigned word = 0; word < WHENCE_WORDS; word++)
        if (history->words >> word & 1) hash = (hash ^ event->words[word]) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 32;
}

static int is_same(const struct whence_history *history, const struct whence_past *one,
                   const struct whence_past *other) {
    for (unsigned word = 0; word < WHENCE_WORDS; word++)
        if ((history->words >> word & 1) && one->words[word] != other->words[word]) return 0;
    return 1;
}

/* The slot of the event with these words, or the empty one where it would go. */
static uint32_t *slot_of(const struct kept *kept, const struct whence_history *history,
                         const struct whence_past *event) {
    uint64_t at = hash_of(history, event) & (kept->slot_count - 1);
    while (kept->slots[at] && !is_same(history, &kept->entries[kept->slots[at] - 1].event, event))
        at = (at + 1) & (kept->slot_count - 1);
    return &kept->slots[at];
}

/* Twice as many slots as there is room for events. */
static int spread(struct kept *kept, const struct whence_history *history) {
    uint64_t count = 2 * kept->capacity, size = wh_round_up(count * sizeof(uint32_t), OS_PAGE);
    uint32_t *fresh = (uint32_t *)os_map(size);
    if (!fresh) return 0;
    if (kept->slots)
        os_unmap((uintptr_t)kept->slots, wh_round_up(kept->slot_count * sizeof(uint32_t), OS_PAGE));
    kept->slots = fresh, kept->slot_count = count;
    for (uint64_t i = 0; i < kept->count; i++)
        *slot_of(kept, history, &kept->entries[i].event) = (uint32_t)i + 1;
    return 1;
}

/* Room for one more event, so that a slot is left, too. */
static int has_room(struct kept *kept, const struct whence_history *history) {
    if (kept->count < kept->capacity && 2 * kept->capacity <= kept->slot_count) return 1;
    if (kept->count >= MOST_EVENTS) return 0;
    void *entries = kept->entries;
    if (kept->count == kept->capacity &&
        !os_enlarge(&entries, sizeof *kept->entries, kept->count, &kept->capacity, FIRST_EVENTS))
        return 0;
    kept->entries = (struct entry *)entries;
    return spread(kept, history);
}

static void add(struct kept *kept, const struct whence_history *history, struct entry entry) {
    uint32_t *slot = kept->slots ? slot_of(kept, history, &entry.event) : NULL;
    if (slot && *slot) {
        kept->entries[*slot - 1] = entry;
    } else if (has_room(kept, history)) {
        kept->entries[kept->count++] = entry;
        *slot_of(kept, history, &entry.event) = (uint32_t)kept->count;
    } else {
        static int full;
        kept->lost = 1;
        rt_note(&full,
                "rules about single objects see no more than the first 1048576 of each kind: "
                "what they would say of others may be missing");
    }
}

static int keeps(const struct whence_history *history, uint64_t function, uint64_t returns) {
    return history->function == function && history->returns == returns;
}

void histories_add(uint64_t function, uint64_t returns, const struct whence_past *event,
                   const struct frame *frame) {
    struct thread *thread = thread_here();
    struct entry entry = {0};
    for (uint64_t i = 0; i < rules_current->history_count; i++) {
        const struct whence_history *history = &rules_current->histories[i];
        if (!keeps(history, function, returns)) continue;
        if (!entry.stack) entry = (struct entry){hidden(event), port_stack(thread, frame)};
        if (!enter(thread)) {
            if (all) all[i].lost = 1;
            continue;
        }
        struct kept *kept = kept_of(i);
        if (kept) add(kept, history, entry);
        leave(thread);
    }
}

static uint64_t absent(const struct kept *kept) {
    return kept && !kept->lost ? 0 : WHENCE_RECALL_LOST;
}

WH_EXPORT uint64_t __whence_recall(uint64_t history, const struct whence_past *key,
                                   struct whence_past *out) {
    struct thread *thread = thread_here();
    if (!enter(thread)) return WHENCE_RECALL_LOST;
    const struct kept *kept = kept_of(history);
    const struct whence_past asked = hidden(key);
    const uint32_t *slot =
        kept && kept->slots ? slot_of(kept, &rules_current->histories[history], &asked) : NULL;
    uint64_t found = slot && *slot ? 1 : absent(kept);
    if (found == 1) *out = hidden(&kept->entries[*slot - 1].event);
    leave(thread);
    return found;
}

WH_EXPORT uint64_t __whence_next_recalled(uint64_t *cursor, uint64_t history,
                                          struct whence_past *out) {
    struct thread *thread = thread_here();
    if (!enter(thread)) return WHENCE_RECALL_LOST;
    const struct kept *kept = kept_of(history);
    uint64_t found = kept && *cursor < kept->count ? 1 : absent(kept);
    if (found == 1) {
        const struct entry *entry = &kept->entries[(*cursor)++];
        *out = hidden(&entry->event);
        thread->recalled_stack = entry->stack;
    }
    leave(thread);
    return found;
}
