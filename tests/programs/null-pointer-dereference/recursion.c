// A recursive function on a tree tests one child and not the other.
#include <stdlib.h>

struct tree {
    short key;
    struct tree *left, *right;
};

static int depth(const struct tree *t) {
    int right = depth(t->right); // EXPECT null-pointer-dereference read 8 address 16
    int left = t->left ? depth(t->left) : 0;
    return 1 + (left > right ? left : right);
}

int main(void) {
    struct tree leaf = {1, NULL, NULL}, root = {2, NULL, &leaf};
    return depth(&root) != 2;
}
