// The root of a tree is kept, and with it every other node.
// RUN: options --enable indirect-leak
#include <stdlib.h>

struct tree {
    struct tree *child[2];
    int number;
};

static struct tree *root;

__attribute__((noinline)) static void grow(int n) {
    struct tree *all[15];
    for (int i = 0; i < n; i++) {
        struct tree *t = calloc(1, sizeof *t);
        t->number = i;
        if (i)
            all[(i - 1) / 2]->child[i % 2] = t;
        all[i] = t;
    }
    root = all[0];
}

int main(void) {
    grow(15);
    return 0;
}
