// A recursive function on a tree tests both children.
#include <stdlib.h>

struct tree {
    short key;
    struct tree *left, *right;
};

static int depth(const struct tree *t) {
    int right = t->right ? depth(t->right) : 0;
    int left = t->left ? depth(t->left) : 0;
    return 1 + (left > right ? left : right);
}

int main(void) {
    struct tree leaf = {1, NULL, NULL}, root = {2, NULL, &leaf};
    return depth(&root) != 2;
}
