// Two arrays are sorted together: a pointer into the keys is moved to the values by the distance of the
// arrays, as CPython's sort does it.
#include <stddef.h>
#include <stdlib.h>

struct slice {
    int *keys, *values;
};

static int first[4], second[4];

__attribute__((noinline)) static void insert(struct slice lo, int *end, int *start) {
    for (; start < end; start++) {
        int *l = lo.keys, *r = start, pivot = *r;
        while (l < r) {
            int *p = l + ((r - l) >> 1);
            if (pivot < *p)
                r = p;
            else
                l = p + 1;
        }
        for (int *p = start; p > l; p--)
            *p = p[-1];
        *l = pivot;
        if (lo.values != NULL) {
            ptrdiff_t offset = lo.values - lo.keys;
            int *p = start + offset;
            pivot = *p;
            l += offset;
            for (; p > l; p--)
                *p = p[-1];
            *l = pivot;
        }
    }
}

/* There and back again in a loop. */
__attribute__((noinline)) static int both(int *a, int *b, int n) {
    int sum = 0, *p = a;
    for (int i = 0; i < n; i++) {
        sum += *p;
        p += b - a;
        sum += 10 * *p;
        p += a - b;
        p++;
    }
    return sum;
}

/* By a distance that is 0 for some. */
__attribute__((noinline)) static void put(int *a, int *b, int at, int moved, int value) {
    ptrdiff_t distance = moved ? b - a : 0;
    int *p = a + distance;
    p[at] = value;
}

/* To the nearer of two, with the index first, and back from its end. */
__attribute__((noinline)) static int get(int *a, int *b, int *c, int n, int which) {
    int *p = a + n;
    p += which ? c - a : b - a;
    return p[-1];
}

/* In bytes, by numbers. */
__attribute__((noinline)) static void *moved(char *p, char *from, char *to) {
    p = from + (p - from);
    return from + ((size_t)to - (size_t)from) + (p - from);
}

static int check(int *keys, int *values) {
    for (int i = 0; i < 4; i++) {
        keys[i] = 7 * (i + 1) % 5;
        values[i] = i + 1;
    }
    insert((struct slice){keys, NULL}, keys + 1, keys);
    insert((struct slice){keys, values}, keys + 4, keys + 1);
    int good = keys[0] == 1 && values[0] == 3 && keys[3] == 4 && values[3] == 2;
    good &= both(keys, values, 4) == 110;
    put(keys, values, 3, 0, 70);
    put(keys, values, 3, 1, 80);
    good &= keys[3] == 70 && values[3] == 80;
    good &= get(keys, values, keys, 4, 0) == 80 && get(keys, keys, values, 4, 1) == 80;
    return good && moved((char *)(keys + 2), (char *)keys, (char *)values) == values + 2;
}

int main(void) {
    int here[4], there[4];
    int *keys = malloc(4 * sizeof *keys), *values = malloc(4 * sizeof *values);
    int good = check(keys, values) && check(values, keys) && check(first, second) && check(here, there);
    good &= check(keys, first) && check(first, keys) && check(here, keys) && check(keys, here);
    free(keys);
    free(values);
    return !good;
}
