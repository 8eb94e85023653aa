#include "mark.h"
#include "untouched.h"
#include "../os/invariant.h"
#include "../os/mem.h"
#include "../port/port.h"

int (*mark_is_strong)(uintptr_t pointer, struct block block);

static uint8_t *marks;
static uint64_t total;

/* Two stacks in one array of blocks whose contents are still to be read: from the front the blocks
 * that strong pointers lead to, from the back those that only weak pointers lead to. Each block is
 * in each stack at most once. */
static uint64_t *work;
static uint64_t work_count, waiting_count;

/* For each lost block, the lost block that leads to it, as a word; 0: none does. */
static uint64_t *leaders;
static uint64_t leader;

#define WAITS_FOR_SYSTEM (1ull << BLOCK_WORD_BITS)

static uint64_t room(void) { return wh_round_up(total ? total : 1, OS_PAGE); }

static uint64_t work_room(void) { return 2 * room(); }

int mark_init(void) {
    total = blocks_number_all();
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

uint8_t *mark_of(struct block block) {
    uint64_t number = block_number(block);
    WH_INVARIANT(number == BLOCK_UNNUMBERED || number < total);
    return number == BLOCK_UNNUMBERED ? NULL : &marks[number];
}

/* The block must have marks. */
static uint64_t *leader_at(struct block block) { return &leaders[block_number(block)]; }

/* The program may have protected pages inside its own blocks. */
static int is_closed(uintptr_t page) { return blocks_govern(page) && !os_readable(page); }

/* ---- pointers ---- */

/* An array of no elements behind its count: the pointer to the elements is the end of the block. */
static int is_empty_array(uintptr_t begin, uint64_t size, uintptr_t pointer) {
    return size == sizeof(uint64_t) && pointer == begin + size && *(const wh_word *)begin == 0;
}

/* A count or a size precedes the memory that the pointer refers to: `new T[n]` with destructors,
 * and allocators that store the size in the block. */
static int is_behind_count(uintptr_t begin, uint64_t size, uintptr_t pointer) {
    if (pointer != begin + sizeof(uint64_t) || size <= sizeof(uint64_t)) return 0;
    if (size >= OS_PAGE && is_closed(begin)) return 0;
    uint64_t rest = size - sizeof(uint64_t), count = *(const wh_word *)begin;
    return count && count <= rest && rest % count == 0;
}

static int is_strong(uintptr_t pointer, struct block block, uintptr_t begin, uint64_t size) {
    return pointer == begin || is_behind_count(begin, size, pointer) ||
           is_empty_array(begin, size, pointer) ||
           (mark_is_strong && mark_is_strong(pointer, block));
}

/* The live block that a word points into, and how; a block of size 0 counts as one byte. */
static struct block target(uintptr_t word, int *strong) {
    struct block block = block_handed_out(word);
    if (!block_exists(block)) block = block_around(word);
    if (!block_is_live(block)) return block_none();
    uintptr_t begin = block_begin(block);
    uint64_t size = block_size(block), offset = word - begin;
    if (offset >= (size ? size : 1) && !is_empty_array(begin, size, word)) return block_none();
    *strong = is_strong(word, block, begin, size);
    return block;
}

/* ---- following ---- */

static void push(struct block block, uint8_t *marked, uint8_t mark) {
    *marked |= mark;
    work[work_count++] = block_word(block);
}

static void wait(struct block block, uint8_t *marked, uint8_t mark) {
    if (*marked & MARK_WAITING) return;
    *marked |= MARK_WAITING;
    uint64_t entry = block_word(block) | (mark == MARK_SYSTEM ? WAITS_FOR_SYSTEM : 0);
    work[work_room() - ++waiting_count] = entry;
}

/* Programs keep counters and kinds in the bits of a word that no address needs, as free lists
 * without locks do. Such a word leads to a block only as far as it is its begin without them, and
 * weakly: it may be a number. */
#define ADDRESS_BITS 48u

static uintptr_t untagged(uintptr_t word) { return word & ((1ull << ADDRESS_BITS) - 1); }

static void resolve(uintptr_t word, uint8_t mark) {
    int strong = 0;
    uintptr_t pointer = untagged(word);
    struct block block = target(pointer, &strong);
    uint8_t *marked = mark_of(block);
    if (pointer != word && !strong) return;
    strong &= pointer == word;
    if (!marked || *marked & (MARK_POINTED | mark)) return;
    if (mark == MARK_INDIRECT) *leader_at(block) = leader;
    if (strong || mark == MARK_POSSIBLE || mark == MARK_INDIRECT)
        push(block, marked, mark);
    else
        wait(block, marked, mark);
}

/* The search of a large heap waits for memory most of the time, so the record of the block that a
 * word points to is prefetched some words before it is read, and likewise the contents of blocks.
 */
#define WORDS_AHEAD 32u
#define BLOCKS_AHEAD 8u

static uintptr_t words_ahead[WORDS_AHEAD]; /* 0: none */
static unsigned next_word, words_waiting;
static uint64_t blocks_ahead[BLOCKS_AHEAD];
static unsigned first_block, blocks_waiting;

static void follow_word(uintptr_t word, uint8_t mark) {
    uintptr_t pointer = untagged(word);
    if (WH_UNLIKELY(block_exists(block_handed_out(pointer)))) {
        resolve(word, mark);
        return;
    }
    if (WH_LIKELY(!blocks_in_heap(pointer))) return;
    struct block block = block_around(pointer);
    const uint8_t *marked = mark_of(block);
    if (!marked) return;
    block_prefetch(block);
    __builtin_prefetch(marked);
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

/* The next block whose contents are to be read; 0 if there is none. */
static uint64_t take_work(void) {
    while (blocks_waiting < BLOCKS_AHEAD && work_count) {
        uint64_t entry = work[--work_count];
        block_prefetch(block_of_word(entry));
        block_prefetch_bytes(block_of_word(entry));
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

/* Larger ranges are read page by page: large buffers are often mapped and never written, and the
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
    int small = end - begin < OS_PAGE || (end - begin <= READ_WHOLE && !blocks_govern(begin));
    if (small)
        follow_words(begin, end, mark);
    else
        follow_pages(begin, end, mark, follow_page);
}

static void follow_work(uint8_t mark) {
    uint64_t entry;
    follow_words_ahead(mark);
    while ((entry = take_work())) {
        struct block block = block_of_word(entry);
        uintptr_t begin = block_begin(block);
        if (PORT_GUARDS) begin = port_bytes(block, begin);
        /* Outside of the heap, what the program hands out lies in memory that is read anyway. */
        if (block_in_heap(block) || blocks_govern(begin))
            follow(begin, begin + block_size(block), mark);
        if (!work_count && !blocks_waiting) follow_words_ahead(mark);
    }
}

void mark_range(uintptr_t begin, uintptr_t end, enum mark mark) {
    follow(begin, end, (uint8_t)mark);
    follow_work((uint8_t)mark);
}

void mark_words(uintptr_t begin, uintptr_t end, enum mark mark) {
    follow_words(begin, end, (uint8_t)mark);
    follow_work((uint8_t)mark);
}

void mark_file(uintptr_t begin, uintptr_t end, enum mark mark) {
    follow_pages(begin, end, (uint8_t)mark, follow_file_page);
    follow_work((uint8_t)mark);
}

void mark_block(uintptr_t address, enum mark mark) {
    struct block block = block_at(address);
    uint8_t *marked = mark_of(block);
    if (!marked || !block_is_live(block) || *marked & MARK_POINTED) return;
    push(block, marked, (uint8_t)mark);
    follow_work((uint8_t)mark);
}

/* ---- blocks of which the program hands out parts ---- */

/* What the program has closed, such as parts that it has taken back, holds no pointers any more. */
static void follow_open_page(uintptr_t from, uintptr_t to, uint8_t mark) {
    if (is_closed(wh_round_down(from, OS_PAGE))) return;
    const uintptr_t *word = (const uintptr_t *)wh_round_up(from, sizeof(uintptr_t));
    for (; (uintptr_t)(word + 1) <= to; word++)
        if (port_first_bad((uintptr_t)word, sizeof *word) == (uintptr_t)(word + 1))
            follow_word(*(const wh_word *)word, mark);
}

/* What lies between the parts, such as their headers. */
static void follow_arena(struct block arena) {
    uintptr_t at = block_begin(arena), end = at + block_size(arena);
    while (at < end) {
        struct block part = block_handed_out_from(at);
        uintptr_t to = block_exists(part) ? block_begin(part) : end;
        if (to > end) to = end;
        if (at < to) follow_pages(at, to, MARK_REACHED, follow_open_page);
        at = to < end ? block_begin(part) + block_size(part) : end;
    }
}

/* The parts are what may leak, and not the block around them. */
void mark_arenas(void) {
    struct block part;
    for (uintptr_t at = 0; block_exists(part = block_handed_out_from(at));) {
        uintptr_t begin = block_begin(part);
        at = begin + block_size(part);
        struct block arena = blocks_in_heap(begin) ? block_around(begin) : block_none();
        uint8_t *marked = mark_of(arena);
        if (!marked || *marked & MARK_SYSTEM || !block_is_live(arena)) continue;
        *marked |= MARK_SYSTEM;
        follow_arena(arena);
        follow_work(MARK_REACHED);
    }
}

/* Blocks that a library points to come first: they belong to the library even if a weak pointer of
 * the program leads to them, too. */
void mark_weak(void) {
    for (int system = 1; system >= 0; system--) {
        uint8_t mark = system ? MARK_SYSTEM : MARK_POSSIBLE;
        for (uint64_t i = 1; i <= waiting_count; i++) { /* the count grows meanwhile */
            uint64_t entry = work[work_room() - i];
            struct block block = block_of_word(entry);
            uint8_t *marked = mark_of(block);
            if (((entry & WAITS_FOR_SYSTEM) != 0) != system || (*marked & MARK_POINTED)) continue;
            push(block, marked, mark);
            follow_work(mark);
        }
    }
}

static void mark_led_by(struct block block) {
    uint8_t *marked = mark_of(block);
    if (!marked || *marked & (MARK_POINTED | MARK_INDIRECT)) return;
    *marked |= MARK_INDIRECT; /* so that a cycle stops here */
    leader = block_word(block);
    work[work_count++] = leader;
    follow_work(MARK_INDIRECT);
    *marked &= (uint8_t)~MARK_INDIRECT;
}

/* The first block of a cycle that is visited becomes its head. Large blocks are visited first,
 * because a large block is more likely to own small ones than the reverse. */
void mark_indirect(void) {
    uint64_t cursor = 0;
    struct block block;
    while (block_exists(block = block_next_larger(&cursor, WH_BLOCK_LIVE))) mark_led_by(block);
}

/* Follows the leaders up to a block that has none, then lets every block on the way point to that
 * head directly, so that later calls are short. */
struct block mark_head(struct block block) {
    struct block head = block;
    while (*leader_at(head)) head = block_of_word(*leader_at(head));
    while (*leader_at(block)) {
        uint64_t *next = leader_at(block);
        block = block_of_word(*next);
        *next = block_word(head);
    }
    return head;
}
