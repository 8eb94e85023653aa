#include "unchanged.h"
#include "mark.h"
#include "untouched.h"
#include "../blocks/block.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../symbolic/snapshot.h"
#include "../symbolic/standing.h"
#include "../symbolic/undo.h"

#define ROOTS_MOST 2048u
#define PAGES_MOST 16384u
#define WORDS_MOST (1u << 18)

/* The words of a page that lead into the heap. */
struct page {
    uintptr_t begin;
    uint32_t first, count, system;
};

/* In order of address. state: 0: not found yet, -1: it cannot be known. */
struct unchanged {
    int state;
    uint32_t root_count, page_count, word_count;
    struct root roots[ROOTS_MOST];
    struct page pages[PAGES_MOST];
    uintptr_t words[WORDS_MOST];
    struct roots_constants constants;
};

_Static_assert(STANDING_UNCHANGED + sizeof(struct unchanged) <= STANDING_UNCHANGED_END, "room");

static struct unchanged *own(void) { return STANDING(STANDING_UNCHANGED); }

const struct roots_constants *unchanged_constants(void) { return &own()->constants; }

/* ---- finding ---- */

static int note_page(struct unchanged *known, uintptr_t page, const uintptr_t *words, size_t count,
                     int system) {
    uint32_t first = known->word_count;
    for (size_t i = 0; i < count; i++) {
        if (!blocks_in_heap(words[i])) continue;
        if (known->word_count == WORDS_MOST) return 0;
        known->words[known->word_count++] = words[i];
    }
    if (known->word_count == first) return 1;
    if (known->page_count == PAGES_MOST) return 0;
    known->pages[known->page_count++] =
        (struct page){page, first, known->word_count - first, (uint32_t)system};
    return 1;
}

/* A page of a file may be missing. */
static int read_page(struct unchanged *known, const struct root *root, uintptr_t page) {
    static uintptr_t copy[OS_PAGE / sizeof(uintptr_t)];
    uintptr_t from = page < root->begin ? wh_round_up(root->begin, sizeof *copy) : page;
    uintptr_t to = page + OS_PAGE < root->end ? page + OS_PAGE : root->end;
    size_t count = (to - from) / sizeof *copy;
    if (root->file && !os_copy(copy, from, count * sizeof *copy)) return 1;
    return note_page(known, page, root->file ? copy : (const uintptr_t *)from, count, root->system);
}

static int read_root(struct unchanged *known, const struct root *root) {
    uint8_t untouched[UNTOUCHED_MOST];
    uintptr_t last = wh_round_up(root->end, OS_PAGE);
    for (uintptr_t at = wh_round_down(root->begin, OS_PAGE); at < last;) {
        uint64_t left = (last - at) / OS_PAGE;
        unsigned pages = left < UNTOUCHED_MOST ? (unsigned)left : UNTOUCHED_MOST;
        untouched_find(at, pages, untouched);
        for (unsigned i = 0; i < pages; i++, at += OS_PAGE)
            if (!untouched[i] && !snapshot_is_open(at) && !read_page(known, root, at)) return 0;
    }
    return 1;
}

static int is_read_anew(const struct root *root) {
    return root->shared || snapshot_stack_end(root->begin);
}

static int find(struct unchanged *known) {
    size_t size;
    const char *maps = snapshot_maps(&size);
    if (!roots_list(maps, size, known->roots, ROOTS_MOST, &known->root_count)) return 0;
    roots_constants(maps, size, &known->constants);
    int complete = 1;
    untouched_open();
    for (uint32_t i = 0; complete && i < known->root_count; i++)
        if (!is_read_anew(&known->roots[i])) complete = read_root(known, &known->roots[i]);
    untouched_close();
    return complete;
}

int unchanged_known(uintptr_t sp) {
    struct unchanged *known = own();
    if (!snapshot_is_taken() || !snapshot_stack_end(sp) || claims_any() ||
        undo_has_mapped(roots_are_ours) || known->state < 0)
        return 0;
    if (!known->state) known->state = find(known) ? 1 : -1;
    return known->state > 0;
}

/* ---- visiting ---- */

/* The root that an address lies in, or that lies in its page; NULL if none does. */
static const struct root *root_of(const struct unchanged *known, uintptr_t page) {
    uint32_t low = 0, high = known->root_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (known->roots[middle].end <= page)
            low = middle + 1;
        else
            high = middle;
    }
    const struct root *root = &known->roots[low];
    return low < known->root_count && root->begin < page + OS_PAGE ? root : NULL;
}

static void mark_written(const struct unchanged *known, int system, enum mark mark) {
    uint32_t count;
    const uintptr_t *pages = snapshot_pages(&count);
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t begin = pages[i], end = begin + OS_PAGE;
        const struct root *root = root_of(known, begin);
        if (!root || root->system != system || is_read_anew(root)) continue;
        mark_words(begin < root->begin ? root->begin : begin, end > root->end ? root->end : end,
                   mark);
    }
}

void unchanged_each(uintptr_t sp, int system, roots_visitor *visit) {
    const struct unchanged *known = own();
    enum mark mark = system ? MARK_SYSTEM : MARK_REACHED;
    for (uint32_t i = 0; i < known->page_count; i++) {
        const struct page *page = &known->pages[i];
        uintptr_t first = (uintptr_t)(known->words + page->first);
        if ((int)page->system == system && !snapshot_is_open(page->begin))
            mark_words(first, first + page->count * sizeof *known->words, mark);
    }
    mark_written(known, system, mark);
    for (uint32_t i = 0; i < known->root_count; i++) {
        const struct root *root = &known->roots[i];
        if (root->system == system && root->shared)
            visit(root->begin, root->end, system, root->file);
    }
    if (!system) visit(sp, snapshot_stack_end(sp), 0, 0);
}
