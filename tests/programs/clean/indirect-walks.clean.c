// Pointers that are loaded at an index computed from themselves: an indirect sort's walk, union-find, a ring of bytes.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int steps(char **to, char *base, size_t size, char *last) {
    char *p = to[0];
    int n = 0;
    while (1) {
        p = to[(size_t)(p - base) / size];
        n++;
        if (p == last)
            return n;
    }
}

__attribute__((noinline)) static long root(int **parent, int *base, int *p) {
    while (parent[p - base] != p)
        p = parent[p - base] = parent[parent[p - base] - base];
    return (long)(p - base);
}

int main(void) {
    char *base = malloc(3 * 8);
    char **to = malloc(3 * sizeof *to);
    to[0] = base + 8;
    to[1] = base + 16;
    to[2] = base;
    printf("%d\n", steps(to, base, 8, base));

    int *sets = calloc(5, sizeof *sets);
    int **parent = calloc(5, sizeof *parent);
    for (int i = 0; i < 5; i++)
        parent[i] = sets + (i ? i - 1 : 0);
    printf("%ld\n", root(parent, sets, sets + 4));

    char *at = base;
    char **ring = malloc(24 * sizeof *ring);
    for (int i = 0; i < 24; i++)
        ring[i] = base + (i + 5) % 24;
    for (int i = 0; i < 48; i++)
        at = ring[at - base];
    printf("%ld\n", (long)(at - base));
    free(ring);
    free(parent);
    free(sets);
    free(to);
    free(base);
    return 0;
}
