// Pointers that are compared and subtracted within their blocks, at their ends, with null, and as numbers.
// RUN: options --enable pointer-comparison --enable pointer-subtraction
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int first[4];
    char second[16];
};

static int table[8];

static int between(const char *at, const char *begin, const char *end) {
    return at >= begin && at <= end;
}

static long apart(const char *a, const char *b) { return a - b; }

static int compare(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    struct pair *pair = calloc(2, sizeof *pair);
    if (!pair) return 2;
    char *begin = (char *)pair, *end = (char *)(pair + 2);
    int good = between(begin, begin, end) && between(end, begin, end);
    good &= apart(end, begin) == 2 * sizeof *pair;
    good &= apart(pair[1].second, (char *)pair[0].first) == (char *)pair[1].second - begin;
    int local[8];
    for (int *at = local; at < local + 8; at++) *at = argc;
    for (int *at = table + 8; at-- > table;) *at = local[at - table];
    const char *none = argc > 50 ? begin : NULL;
    good &= !between(none, NULL, begin - 0) || none == NULL;
    good &= apart(argv[0] + strlen(argv[0]), argv[0]) >= 0;
    good &= compare(local, table) != 0 && compare(pair, local) != 0;
    good &= (uintptr_t)local - (uintptr_t)table != 0;
    char *empty = malloc(0), *one = malloc(1);
    good &= apart(one + 1, one) == 1 && between(empty, empty, empty);
    free(empty);
    free(one);
    free(pair);
    return !good;
}
