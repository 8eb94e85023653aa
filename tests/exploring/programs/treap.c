/* A treap whose weights are hashes of its nodes' addresses, with two of three keys from standard input: which
 * key is at the root, and so whether the assertion holds, follows from the input and from the addresses. With
 * SHAPE it ends with a status that says how the treap looks. After figure 1 and section 3 of Schemmel et al.,
 * ISSTA 2023. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *side[2];
    const char *key;
};

static struct node *root;

static uint64_t weight(const struct node *node) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < sizeof node; i++)
        hash = (hash ^ ((const unsigned char *)&node)[i]) * 0x100000001b3;
    return hash;
}

static void insert(struct node **at, const char *key) {
    struct node *node = *at;
    if (!node) {
        *at = calloc(1, sizeof **at);
        (*at)->key = key;
        return;
    }
    int compared = strcmp(key, node->key);
    if (!compared)
        return;
    int right = compared > 0;
    insert(&node->side[right], key);
    struct node *child = node->side[right];
    if (weight(child) < weight(node)) {
        node->side[right] = child->side[!right];
        child->side[!right] = node;
        *at = child;
    }
}

static const char *read_key(void) {
    char key[2] = {0};
    int c = getchar();
    key[0] = c == EOF ? 0 : (char)c;
    return strdup(key);
}

/* Two bits for each node, those of its sides, before them those of the nodes above. */
static int shape(const struct node *node, int before) {
    int sides = !!node->side[0] | !!node->side[1] << 1, found = before << 2 | sides;
    for (int i = 0; i < 2; i++)
        if (node->side[i])
            found = shape(node->side[i], found);
    return found;
}

int main(void) {
    insert(&root, strdup("1"));
    insert(&root, read_key());
    insert(&root, read_key());
    int is_first = strcmp(root->key, "1") == 0;
#ifdef SHAPE
    return is_first << 6 | shape(root, 0);
#endif
    assert(is_first);
    return 0;
}
