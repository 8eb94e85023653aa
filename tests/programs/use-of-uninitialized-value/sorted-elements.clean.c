// An element without a key is sorted with the others, and its key is asked for where it is then.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

struct item {
    int key;
    const char *name;
};

static int by_key(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

int main(int argc, char **argv) {
    int count = argc + 6;
    struct item *all = malloc(count * sizeof *all);
    for (int i = 0; i < count; i++) {
        all[i].name = argv[0];
        if (i >= 0)
            all[i].key = count - i;
    }
    qsort(all, count, sizeof *all, by_key);
    for (int i = 0; i < count; i++)
        if (all[i].key == -1)
            puts("none");
    free(all);
    return 0;
}
