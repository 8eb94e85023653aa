// A tree is freed children first.
#include <stdlib.h>

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree *grow(int depth) {
    struct tree *t = calloc(1, sizeof *t);
    t->key = depth;
    if (depth > 0) {
        t->left = grow(depth - 1);
        t->right = grow(depth - 1);
    }
    return t;
}

static void fell(struct tree *t) {
    if (!t)
        return;
    fell(t->left);

    fell(t->right);
    free(t);
}

int main(void) {
    fell(grow(4));
    return 0;
}
