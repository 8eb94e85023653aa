#include "large.h"
#include "../../os/mem.h"
#include "../../os/os.h"

/* Nodes that one call may copy: several times the height of a treap of all blocks there can be. */
#define COPIES_MOST 256u

int large_reserve(struct books *books, unsigned changes) {
    return books_reserve(books, sizeof(struct large_node), changes * COPIES_MOST);
}

/* ---- nodes ---- */

static uint64_t priority(uint64_t begin) {
    uint64_t hash = begin / OS_PAGE;
    hash = (hash ^ hash >> 31) * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ull;
    return hash ^ hash >> 32;
}

static int above(const struct large_node *a, const struct large_node *b) {
    uint64_t pa = priority(a->begin), pb = priority(b->begin);
    return pa != pb ? pa > pb : a->begin < b->begin;
}

/* Which of two gaps of one size KLEE takes: that with the larger hash of its begin. The factor is
 * odd, so no two begins have one hash. */
static int before_gap(struct large_gap a, struct large_gap b) {
    const uint64_t factor = 0x8080808080808081ull;
    return a.size != b.size ? a.size > b.size : a.begin * factor > b.begin * factor;
}

static struct large_gap larger(struct large_gap a, struct large_gap b) {
    return before_gap(b, a) ? b : a;
}

static struct large_gap gap_behind(const struct large_node *node) {
    return (struct large_gap){node->begin + node->span, node->gap};
}

static void sum_up(struct large_node *node) {
    struct large_gap most = gap_behind(node);
    if (node->left) most = larger(most, node->left->largest);
    if (node->right) most = larger(most, node->right->largest);
    node->largest = most;
}

static struct large_node *own(struct books *books, struct large_node *node) {
    if (node->references == 1) return node;
    struct large_node *copy = books_new(books, sizeof *copy);
    *copy = *node;
    copy->references = 1;
    node->references--;
    if (copy->left) copy->left->references++;
    if (copy->right) copy->right->references++;
    return copy;
}

/* ---- the treap ---- */

/* Cuts a subtree into what begins before an address and the rest. */
static void split(struct books *books, struct large_node *node, uint64_t begin,
                  struct large_node **before, struct large_node **rest) {
    if (!node) {
        *before = *rest = NULL;
        return;
    }
    node = own(books, node);
    if (node->begin < begin) {
        split(books, node->right, begin, &node->right, rest);
        *before = node;
    } else {
        split(books, node->left, begin, before, &node->left);
        *rest = node;
    }
    sum_up(node);
}

/* Everything in `a` begins before everything in `b`. */
static struct large_node *join(struct books *books, struct large_node *a, struct large_node *b) {
    if (!a || !b) return a ? a : b;
    struct large_node *top = own(books, above(a, b) ? a : b);
    if (top->begin == a->begin)
        top->right = join(books, top->right, b);
    else
        top->left = join(books, a, top->left);
    sum_up(top);
    return top;
}

static struct large_node *insert(struct books *books, struct large_node *node,
                                 struct large_node *fresh) {
    if (!node || above(fresh, node)) {
        split(books, node, fresh->begin, &fresh->left, &fresh->right);
        sum_up(fresh);
        return fresh;
    }
    node = own(books, node);
    if (fresh->begin < node->begin)
        node->left = insert(books, node->left, fresh);
    else
        node->right = insert(books, node->right, fresh);
    sum_up(node);
    return node;
}

static struct large_node *erase(struct books *books, struct large_node *node, uint64_t begin) {
    node = own(books, node);
    if (node->begin == begin) {
        struct large_node *rest = join(books, node->left, node->right);
        books_drop(books, node, sizeof *node);
        return rest;
    }
    if (begin < node->begin)
        node->left = erase(books, node->left, begin);
    else
        node->right = erase(books, node->right, begin);
    sum_up(node);
    return node;
}

/* Sets the gap of the block that begins at `begin`, or the first gap if there is none such. */
static struct large_node *set_gap(struct books *books, struct large_node *node, uint64_t begin,
                                  uint64_t gap) {
    node = own(books, node);
    if (node->begin == begin)
        node->gap = gap;
    else if (begin < node->begin)
        node->left = set_gap(books, node->left, begin, gap);
    else
        node->right = set_gap(books, node->right, begin, gap);
    sum_up(node);
    return node;
}

static void change_gap(struct books *books, struct large *large, const struct large_node *before,
                       uint64_t gap) {
    if (before)
        large->root = set_gap(books, large->root, before->begin, gap);
    else
        large->gap = gap;
}

/* ---- gaps ---- */

uint64_t large_place(const struct large *large, uint64_t span, uint64_t zone, uint64_t alignment) {
    struct large_gap gap = {large->begin, large->gap};
    if (large->root) gap = larger(gap, large->root->largest);
    if (zone > gap.size / 2 || span > gap.size - 2 * zone) return 0;
    uint64_t least = gap.begin + zone, most = gap.begin + gap.size - zone - span;
    uint64_t middle = wh_round_up(gap.begin + (gap.size - span) / 2, alignment);
    if (middle > most) middle = wh_round_down(most, alignment);
    return middle >= least ? middle : 0;
}

/* ---- the calls ---- */

void large_insert(struct books *books, struct large *large, const struct large_node *block) {
    const struct large_node *before = large_before(large, block->begin);
    uint64_t gap_begin = before ? before->begin + before->span : large->begin;
    uint64_t gap = before ? before->gap : large->gap;
    struct large_node *fresh = books_new(books, sizeof *fresh);
    *fresh = *block;
    fresh->left = fresh->right = NULL;
    fresh->references = 1;
    fresh->gap = gap_begin + gap - (block->begin + block->span);
    change_gap(books, large, before, block->begin - gap_begin);
    large->root = insert(books, large->root, fresh);
}

void large_remove(struct books *books, struct large *large, uint64_t begin) {
    const struct large_node *node = large_before(large, begin);
    const struct large_node *before = large_before(large, begin - 1);
    uint64_t gap = (before ? before->gap : large->gap) + node->span + node->gap;
    change_gap(books, large, before, gap);
    large->root = erase(books, large->root, begin);
}

struct large_node *large_own(struct books *books, struct large *large, uint64_t begin) {
    struct large_node **link = &large->root;
    for (;;) {
        struct large_node *node = *link = own(books, *link);
        if (node->begin == begin) return node;
        link = begin < node->begin ? &node->left : &node->right;
    }
}

const struct large_node *large_before(const struct large *large, uint64_t address) {
    const struct large_node *best = NULL;
    for (const struct large_node *node = large->root; node;) {
        if (node->begin <= address) best = node;
        node = node->begin <= address ? node->right : node->left;
    }
    return best;
}

const struct large_node *large_after(const struct large *large, uint64_t address) {
    const struct large_node *best = NULL;
    for (const struct large_node *node = large->root; node;) {
        if (node->begin > address) best = node;
        node = node->begin > address ? node->left : node->right;
    }
    return best;
}

struct large large_share(const struct large *large) {
    if (large->root) large->root->references++;
    return *large;
}

static void drop(struct books *books, struct large_node *node) {
    if (!node || --node->references) return;
    drop(books, node->left);
    drop(books, node->right);
    books_drop(books, node, sizeof *node);
}

void large_drop(struct books *books, struct large *large) {
    drop(books, large->root);
    large->root = NULL;
}
