// The root of a tree is lost; every other node is reachable only from it.
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
        struct tree *t = calloc(1, sizeof *t); // EXPECT definite-leak block 24 count 1 bytes 24 EXPECT indirect-leak block 24 count 14 bytes 336 indirect 14
        t->number = i;
        if (i)
            all[(i - 1) / 2]->child[i % 2] = t;
        all[i] = t;
    }
    root = all[0];
}

__attribute__((noinline)) static void forget(void) {
    root = NULL;
}

int main(void) {
    grow(15);
    forget();
    return 0;
}
