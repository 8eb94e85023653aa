/* A treap whose weights are hashes of its nodes' addresses: which key comes to the root, and so the
 * exit status, is decided by the allocator. After the idea of figure 1 of
 * Schemmel et al., ISSTA 2023. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
    struct tree *side[2];
    char *name;
};

static uint64_t weight(const struct tree *tree) {
    uint64_t bits = (uintptr_t)tree;
    bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccdull;
    bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53ull;
    return bits ^ bits >> 33;
}

static struct tree *insert(struct tree *tree, const char *name) {
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->name = strdup(name);
        return tree;
    }
    int right = strcmp(name, tree->name) > 0;
    struct tree *child = tree->side[right] = insert(tree->side[right], name);
    if (weight(child) >= weight(tree)) return tree;
    tree->side[right] = child->side[!right];
    child->side[!right] = tree;
    return child;
}

static void show(const struct tree *tree, int depth) {
    if (!tree) return;
    show(tree->side[0], depth + 1);
    printf("%s %d %p %p\n", tree->name, depth, (void *)tree, (void *)tree->name);
    show(tree->side[1], depth + 1);
}

static void drop(struct tree *tree) {
    if (!tree) return;
    drop(tree->side[0]);
    drop(tree->side[1]);
    free(tree->name);
    free(tree);
}

int main(void) {
    struct tree *root = NULL;
    char name[8];
    for (int i = 1; i <= 12; i++) {
        snprintf(name, sizeof name, "%d", i * 37 % 100);
        root = insert(root, name);
        if (i % 5 == 0) free(malloc((size_t)i * 100));
    }
    show(root, 0);
    int expected = root->name[0] < '5';
    drop(root);
    return expected ? 0 : 3;
}
