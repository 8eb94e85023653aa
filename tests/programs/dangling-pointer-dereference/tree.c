// A tree is freed in the wrong order: a parent before the walk to its right child.
#include <stdlib.h>

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree *grow(int depth) {
    struct tree *t = calloc(1, sizeof *t); // ALLOC
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
    free(t); // FREE
    fell(t->right); // EXPECT dangling-pointer-dereference read 8 block 24 inside 8
}

int main(void) {
    fell(grow(4));
    return 0;
}
