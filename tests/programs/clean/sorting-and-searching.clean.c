// qsort, qsort_r, bsearch, lfind and tsearch with callbacks, on exact blocks of structures of odd
// size.
#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct odd {
    char name[5];
    unsigned char rank;
    char rest[7];
};

static int compare(const void *a, const void *b) {
    return ((const struct odd *)a)->rank - ((const struct odd *)b)->rank;
}

static int compare_with(const void *a, const void *b, void *calls) {
    ++*(int *)calls;
    return compare(b, a);
}

int main(void) {
    int bad = 0;
    for (size_t n = 1; n < 60; n++) {
        struct odd *a = malloc(n * sizeof *a);
        memset(a, 0, n * sizeof *a);
        for (size_t i = 0; i < n; i++)
            a[i].rank = (unsigned char)(i * 37 % 251);
        int *calls = calloc(1, sizeof *calls);
        qsort_r(a, n, sizeof *a, compare_with, calls);
        for (size_t i = 1; i < n; i++)
            bad += a[i - 1].rank < a[i].rank;
        qsort(a, n, sizeof *a, compare);
        struct odd key = a[n - 1];
        bad += bsearch(&key, a, n, sizeof *a, compare) == NULL;
        bad += lfind(&key, a, &n, sizeof *a, compare) == NULL;
        void *root = NULL;
        for (size_t i = 0; i < n; i++)
            tsearch(&a[i], &root, compare);
        while (root)
            tdelete(*(struct odd **)root, &root, compare);
        free(calls);
        free(a);
    }
    return bad;
}
