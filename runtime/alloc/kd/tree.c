#include "tree.h"
#include "../../os/invariant.h"
#include "../../os/mem.h"

#define LEAF_SIZE (sizeof(struct tree_node) + TREE_FAN * sizeof(struct tree_entry))
#define INNER_SIZE (sizeof(struct tree_node) + TREE_FAN * sizeof(struct tree_node *))

static unsigned at(uint64_t n, unsigned level) {
    return (unsigned)(n >> (TREE_FAN_SHIFT * (level - 1))) % TREE_FAN;
}

static struct tree_node **child(struct tree_node *node, unsigned i) {
    return (struct tree_node **)node->in + i;
}

static struct tree_entry *entry(struct tree_node *node, unsigned i) {
    return (struct tree_entry *)node->in + i;
}

static size_t node_size(unsigned level) { return level == 1 ? LEAF_SIZE : INNER_SIZE; }

static int is_node(const struct tree_node *node) { return node && node != TREE_DEAD; }

int tree_reserve(struct books *books, unsigned changes) {
    return books_reserve(books, LEAF_SIZE, changes) &&
           books_reserve(books, INNER_SIZE, changes * 2 * TREE_LEVELS_MOST);
}

static struct tree_node *new_node(struct books *books, unsigned level) {
    struct tree_node *node = books_new(books, node_size(level));
    wh_fill(node, 0, node_size(level));
    node->references = 1;
    return node;
}

static void share(struct tree_node *node) {
    if (is_node(node)) node->references++;
}

/* Makes what `link` refers to this tree's own. */
static struct tree_node *own(struct books *books, struct tree_node **link, unsigned level) {
    struct tree_node *old = *link;
    if (!old) return *link = new_node(books, level);
    WH_INVARIANT(is_node(old) && old->references);
    if (old->references == 1) return old;
    struct tree_node *copy = books_new(books, node_size(level));
    wh_copy(copy, old, node_size(level));
    copy->references = 1;
    old->references--;
    for (unsigned i = 0; level > 1 && i < TREE_FAN; i++) share(*child(copy, i));
    return *link = copy;
}

static int holds(const struct tree *tree, uint64_t n) {
    return tree->levels && n >> (TREE_FAN_SHIFT * tree->levels) == 0;
}

static void grow(struct books *books, struct tree *tree) {
    if (tree->levels) {
        struct tree_node *root = new_node(books, tree->levels + 1);
        *child(root, 0) = tree->root;
        root->dead = tree->root == TREE_DEAD;
        root->free = is_node(tree->root) && tree->root->free != 0;
        tree->root = root;
    }
    tree->levels++;
}

struct tree_entry *tree_own(struct books *books, struct tree *tree, uint64_t n) {
    while (!holds(tree, n)) grow(books, tree);
    struct tree_node **link = &tree->root;
    for (unsigned level = tree->levels; level > 1; level--)
        link = child(own(books, link, level), at(n, level));
    return entry(own(books, link, 1), at(n, 1));
}

const struct tree_entry *tree_find(const struct tree *tree, uint64_t n, int *dead) {
    *dead = 0;
    if (!holds(tree, n)) return NULL;
    struct tree_node *node = tree->root;
    for (unsigned level = tree->levels; is_node(node) && level > 1; level--)
        node = *child(node, at(n, level));
    *dead = node == TREE_DEAD;
    return is_node(node) ? entry(node, at(n, 1)) : NULL;
}

/* The nodes from the root (way[levels]) to the leaf (way[1]); all are nodes. */
static void find_way(const struct tree *tree, uint64_t n, struct tree_node **way) {
    struct tree_node *node = tree->root;
    for (unsigned level = tree->levels; level >= 1; level--) {
        WH_INVARIANT(is_node(node) && node->references == 1);
        way[level] = node;
        if (level > 1) node = *child(node, at(n, level));
    }
}

void tree_mark_free(struct tree *tree, uint64_t n, int is_free) {
    struct tree_node *way[TREE_LEVELS_MOST + 1];
    find_way(tree, n, way);
    int any = is_free;
    for (unsigned level = 1; level <= tree->levels; level++) {
        uint64_t bit = 1ull << at(n, level);
        way[level]->free = any ? way[level]->free | bit : way[level]->free & ~bit;
        any = way[level]->free != 0;
    }
}

void tree_bury(struct books *books, struct tree *tree, uint64_t n) {
    struct tree_node *way[TREE_LEVELS_MOST + 1];
    find_way(tree, n, way);
    unsigned level = 1;
    while (++way[level]->dead == TREE_FAN) {
        WH_INVARIANT(!way[level]->free);
        books_drop(books, way[level], node_size(level));
        if (level == tree->levels) {
            tree->root = TREE_DEAD;
            return;
        }
        level++;
        *child(way[level], at(n, level)) = TREE_DEAD;
    }
}

int tree_lowest_free(const struct tree *tree, uint64_t *n) {
    struct tree_node *node = tree->root;
    if (!is_node(node) || !node->free) return 0;
    *n = 0;
    WH_INVARIANT(tree->levels && tree->levels <= TREE_LEVELS_MOST);
    for (unsigned level = tree->levels; level >= 1; level--) {
        unsigned i = (unsigned)__builtin_ctzll(node->free);
        *n = *n << TREE_FAN_SHIFT | i;
        if (level > 1) node = *child(node, i);
        WH_INVARIANT(is_node(node) && node->free);
    }
    return 1;
}

struct tree tree_share(const struct tree *tree) {
    share(tree->root);
    return *tree;
}

static void drop(struct books *books, struct tree_node *node, unsigned level) {
    WH_INVARIANT(!is_node(node) || node->references);
    if (!is_node(node) || --node->references) return;
    for (unsigned i = 0; level > 1 && i < TREE_FAN; i++) drop(books, *child(node, i), level - 1);
    books_drop(books, node, node_size(level));
}

void tree_drop(struct books *books, struct tree *tree) {
    drop(books, tree->root, tree->levels);
    *tree = (struct tree){0};
}
