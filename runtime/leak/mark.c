#include "mark.h"
#include "untouched.h"
#include "../os/mem.h"
#include "../port/port.h"

int (*mark_is_strong)(uintptr_t pointer, struct block_place place);

static uint8_t *marks;
static uint64_t base[BLOCK_SHIFTS], slots[BLOCK_SHIFTS], total;

/* Blocks whose contents are still to be followed: from the front those found
 * by strong pointers, from the back those that wait. Each slot is in each half
 * at most once. */
static uint64_t *work;
static uint64_t work_count, waiting_count;

/* Of lost blocks, the one that led there, packed; 0: none did. */
static uint64_t *leaders;
static uint64_t leader;

#define WAITS_FOR_SYSTEM (1ull << 63)
#define INDEX_BITS 40

static uint64_t room(void) { return wh_round_up(total ? total : 1, OS_PAGE); }

static uint64_t work_room(void) { return 2 * room(); }

int mark_init(void) {
    total = 0;
    for (unsigned shift = WH_MIN_SLOT_SHIFT; shift <= WH_MAX_SLOT_SHIFT; shift++) {
        base[shift] = total;
        slots[shift] = blocks_cut[shift];
        total += slots[shift];
    }
    marks = (uint8_t *)os_map(room());
    work = (uint64_t *)os_map(work_room() * sizeof *work);
    leaders = (uint64_t *)os_map(room() * sizeof *leaders);
    work_count = waiting_count = 0;
    if (marks && work && leaders) return 1;
    mark_deinit();
    return 0;
}

void mark_deinit(void) {
    if (marks) os_unmap((uintptr_t)marks, room());
    if (work) os_unmap((uintptr_t)work, work_room() * sizeof *work);
    if (leaders) os_unmap((uintptr_t)leaders, room() * sizeof *leaders);
    marks = NULL;
    work = leaders = NULL;
}

static uint8_t *mark_at(struct block_place place) {
    return &marks[base[place.shift] + place.index];
}

static uint64_t *leader_at(struct block_place place) {
    return &leaders[base[place.shift] + place.index];
}

uint8_t *mark_of(struct block_place place) {
    return place.index && place.index < slots[place.shift] ? mark_at(place) : NULL;
}

static uint64_t packed(struct block_place place) {
    return (uint64_t)place.shift << INDEX_BITS | place.index;
}

static struct block_place unpacked(uint64_t entry) {
    struct block_place place = {entry & ((1ull << INDEX_BITS) - 1),
                                (unsigned)(entry >> INDEX_BITS) % BLOCK_SHIFTS};
    return place;
}

/* The program may have protected pages inside its own blocks. */
static int is_closed(uintptr_t page) { return heap_contains(page) && !os_readable(page); }

/* ---- pointers ---- */

/* An array of no elements with a count in front: the pointer lies at the end. */
static int is_empty_array(uintptr_t begin, uint64_t size, uintptr_t pointer) {
    return size == sizeof(uint64_t) && pointer == begin + size && *(const wh_word *)begin == 0;
}

/* A count or a length stands in front of what is pointed to: `new T[n]` with
 * destructors, and allocators that keep the size themselves. */
static int is_behind_count(uintptr_t begin, uint64_t size, uintptr_t pointer) {
    if (pointer != begin + sizeof(uint64_t) || size <= sizeof(uint64_t)) return 0;
    if (size >= OS_PAGE && is_closed(begin)) return 0;
    uint64_t rest = size - sizeof(uint64_t), count = *(const wh_word *)begin;
    return count && count <= rest && rest % count == 0;
}

static int is_strong(uintptr_t pointer, struct block_place place, uintptr_t begin, uint64_t size) {
    return pointer == begin || is_behind_count(begin, size, pointer) ||
           is_empty_array(begin, size, pointer) ||
           (mark_is_strong && mark_is_strong(pointer, place));
}

/* The live block that a word points into, and how; a block of size 0 counts as one byte. */
static struct block_place target(uintptr_t word, int *strong) {
    static const struct block_place none = {0, 0};
    struct block_place place = block_place(word);
    if (!place.index || place.index >= slots[place.shift]) return none;
    const struct block_record *record = block_record(place.shift, place.index);
    if (record->state != WH_BLOCK_LIVE) return none;
    uintptr_t begin = block_begin(record, place.shift, place.index);
    uint64_t size = block_size(record, place.shift, place.index), offset = word - begin;
    if (offset >= (size ? size : 1) && !is_empty_array(begin, size, word)) return none;
    *strong = is_strong(word, place, begin, size);
    return place;
}

/* ---- following ---- */

static void push(struct block_place place, uint8_t *marked, uint8_t mark) {
    *marked |= mark;
    work[work_count++] = packed(place);
}

static void wait(struct block_place place, uint8_t *marked, uint8_t mark) {
    if (*marked & MARK_WAITING) return;
    *marked |= MARK_WAITING;
    uint64_t entry = packed(place) | (mark == MARK_SYSTEM ? WAITS_FOR_SYSTEM : 0);
    work[work_room() - ++waiting_count] = entry;
}

static void resolve(uintptr_t word, uint8_t mark) {
    int strong = 0;
    struct block_place place = target(word, &strong);
    if (!place.index) return;
    uint8_t *marked = mark_at(place);
    if (*marked & (MARK_POINTED | mark)) return;
    if (mark == MARK_INDIRECT) *leader_at(place) = leader;
    if (strong || mark == MARK_POSSIBLE || mark == MARK_INDIRECT)
        push(place, marked, mark);
    else
        wait(place, marked, mark);
}

/* Large heaps are nothing but cache misses: what a word leads to is asked for
 * some words before it is looked at, and likewise the contents of blocks. */
#define WORDS_AHEAD 32u
#define BLOCKS_AHEAD 8u

static uintptr_t words_ahead[WORDS_AHEAD]; /* 0: none */
static unsigned next_word, words_waiting;
static uint64_t blocks_ahead[BLOCKS_AHEAD];
static unsigned first_block, blocks_waiting;

static void follow_word(uintptr_t word, uint8_t mark) {
    if (WH_LIKELY(!heap_contains(word))) return;
    struct block_place place = block_place(word);
    if (!place.index || place.index >= slots[place.shift]) return;
    __builtin_prefetch(block_record(place.shift, place.index));
    __builtin_prefetch(mark_at(place));
    uintptr_t earlier = words_ahead[next_word];
    words_ahead[next_word] = word;
    next_word = (next_word + 1) % WORDS_AHEAD;
    if (earlier)
        resolve(earlier, mark);
    else
        words_waiting++;
}

static void follow_words_ahead(uint8_t mark) {
    for (unsigned i = 0; i < WORDS_AHEAD && words_waiting; i++) {
        uintptr_t *word = &words_ahead[(next_word + i) % WORDS_AHEAD];
        if (!*word) continue;
        resolve(*word, mark);
        *word = 0;
        words_waiting--;
    }
}

/* The next block to be followed; 0 if there is none. */
static uint64_t take_work(void) {
    while (blocks_waiting < BLOCKS_AHEAD && work_count) {
        uint64_t entry = work[--work_count];
        struct block_place place = unpacked(entry);
        __builtin_prefetch(block_record(place.shift, place.index));
        __builtin_prefetch((const void *)slot_begin(place.shift, place.index));
        blocks_ahead[(first_block + blocks_waiting++) % BLOCKS_AHEAD] = entry;
    }
    if (!blocks_waiting) return 0;
    uint64_t entry = blocks_ahead[first_block];
    first_block = (first_block + 1) % BLOCKS_AHEAD;
    blocks_waiting--;
    return entry;
}

static void follow_words(uintptr_t begin, uintptr_t end, uint8_t mark) {
    const uintptr_t *word = (const uintptr_t *)wh_round_up(begin, sizeof(uintptr_t));
    for (; (uintptr_t)(word + 1) <= end; word++) follow_word(*(const wh_word *)word, mark);
}

/* Larger ranges are read page by page. Large buffers are often mapped and never written, and the
 * program may have protected pages of its own blocks. */
#define READ_WHOLE (64 * OS_PAGE)

static void follow_page(uintptr_t from, uintptr_t to, uint8_t mark) {
    if (!is_closed(wh_round_down(from, OS_PAGE))) follow_words(from, to, mark);
}

static void follow_file_page(uintptr_t from, uintptr_t to, uint8_t mark) {
    static uintptr_t copy[OS_PAGE / sizeof(uintptr_t)];
    from = wh_round_up(from, sizeof *copy);
    if (from < to && os_copy(copy, from, to - from))
        follow_words((uintptr_t)copy, (uintptr_t)copy + (to - from), mark);
}

typedef void page_reader(uintptr_t from, uintptr_t to, uint8_t mark);

static void follow_pages(uintptr_t begin, uintptr_t end, uint8_t mark, page_reader *read) {
    uint8_t untouched[UNTOUCHED_MOST];
    uintptr_t last = wh_round_up(end, OS_PAGE);
    for (uintptr_t at = wh_round_down(begin, OS_PAGE); at < last;) {
        uint64_t left = (last - at) / OS_PAGE;
        unsigned pages = left < UNTOUCHED_MOST ? (unsigned)left : UNTOUCHED_MOST;
        untouched_find(at, pages, untouched);
        for (unsigned i = 0; i < pages; i++, at += OS_PAGE) {
            if (untouched[i]) continue;
            uintptr_t to = at + OS_PAGE;
            read(at < begin ? begin : at, to > end ? end : to, mark);
        }
    }
}

static void follow(uintptr_t begin, uintptr_t end, uint8_t mark) {
    int small = end - begin < OS_PAGE || (end - begin <= READ_WHOLE && !heap_contains(begin));
    if (small)
        follow_words(begin, end, mark);
    else
        follow_pages(begin, end, mark, follow_page);
}

static void follow_work(uint8_t mark) {
    uint64_t entry;
    follow_words_ahead(mark);
    while ((entry = take_work())) {
        struct block_place place = unpacked(entry);
        const struct block_record *record = block_record(place.shift, place.index);
        uintptr_t begin = block_begin(record, place.shift, place.index);
        if (PORT_GUARDS) begin = port_bytes(place, begin);
        follow(begin, begin + block_size(record, place.shift, place.index), mark);
        if (!work_count && !blocks_waiting) follow_words_ahead(mark);
    }
}

void mark_range(uintptr_t begin, uintptr_t end, enum mark mark) {
    follow(begin, end, (uint8_t)mark);
    follow_work((uint8_t)mark);
}

void mark_file(uintptr_t begin, uintptr_t end, enum mark mark) {
    follow_pages(begin, end, (uint8_t)mark, follow_file_page);
    follow_work((uint8_t)mark);
}

void mark_block(uintptr_t address, enum mark mark) {
    struct block_place place = blocks_holding(address);
    uint8_t *marked = mark_of(place);
    if (!marked || block_record(place.shift, place.index)->state != WH_BLOCK_LIVE) return;
    if (*marked & MARK_POINTED) return;
    push(place, marked, (uint8_t)mark);
    follow_work((uint8_t)mark);
}

/* What a library points to is a library's, even if the program points into it, too. */
void mark_weak(void) {
    for (int system = 1; system >= 0; system--) {
        uint8_t mark = system ? MARK_SYSTEM : MARK_POSSIBLE;
        for (uint64_t i = 1; i <= waiting_count; i++) { /* grows, as long as there are more */
            uint64_t entry = work[work_room() - i];
            struct block_place place = unpacked(entry & ~WAITS_FOR_SYSTEM);
            if (((entry & WAITS_FOR_SYSTEM) != 0) != system || (*mark_at(place) & MARK_POINTED))
                continue;
            push(place, mark_at(place), mark);
            follow_work(mark);
        }
    }
}

static void mark_led_by(struct block_place place) {
    uint8_t *marked = mark_of(place);
    const struct block_record *record = block_record(place.shift, place.index);
    if (!marked || record->state != WH_BLOCK_LIVE) return;
    if (*marked & (MARK_POINTED | MARK_INDIRECT)) return;
    *marked |= MARK_INDIRECT; /* so that a cycle stops here */
    leader = packed(place);
    work[work_count++] = leader;
    follow_work(MARK_INDIRECT);
    *marked &= (uint8_t)~MARK_INDIRECT;
}

/* Of a cycle, the first block that is looked at is the head: a large one owns small ones sooner
 * than the reverse. */
void mark_indirect(void) {
    for (unsigned shift = WH_MAX_SLOT_SHIFT; shift >= WH_MIN_SLOT_SHIFT; shift--)
        for (uint64_t index = region_before(shift) + 1; index < slots[shift]; index++)
            mark_led_by((struct block_place){index, shift});
}

/* A head that a later one leads to hands its blocks on; the way there is shortened for the next. */
struct block_place mark_head(struct block_place place) {
    struct block_place head = place;
    while (*leader_at(head)) head = unpacked(*leader_at(head));
    while (*leader_at(place)) {
        uint64_t *next = leader_at(place);
        place = unpacked(*next);
        *next = packed(head);
    }
    return head;
}
