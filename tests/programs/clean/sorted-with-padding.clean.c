// Arrays whose elements have bytes that nobody writes are sorted; those that were written are asked for.
// RUN: options --enable use-of-uninitialized-value
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char letter;
    int key;
    short part;
};

struct odd {
    char key, unused, other;
};

static unsigned state = 7;
static int number(int below) {
    state = state * 1103515245 + 12345;
    return (int)(state >> 16) % below;
}

static int by_key(const void *a, const void *b) {
    return ((const struct padded *)a)->key - ((const struct padded *)b)->key;
}

static int by_letter(const void *a, const void *b, void *sign) {
    return *(int *)sign * (((const struct odd *)a)->key - ((const struct odd *)b)->key);
}

static int by_pointer(const void *a, const void *b) {
    return strcmp(**(char ***)a, **(char ***)b);
}

int main(void) {
    int sign = -1, sum = 0;
    for (int round = 0; round < 40; round++) {
        int count = 1 + number(60);
        struct padded *all = malloc(count * sizeof *all);
        for (int i = 0; i < count; i++) {
            all[i].letter = 'a' + number(26);
            all[i].key = number(20);
            all[i].part = number(9);
        }
        qsort(all, count, sizeof *all, by_key);
        for (int i = 0; i < count; i++)
            if (all[i].letter == 'q' || all[i].key == 11 || all[i].part == 5)
                sum++;
        free(all);
        struct odd some[50];
        for (int i = 0; i < 50; i++)
            some[i].key = number(9), some[i].other = number(3);
        qsort_r(some + number(3), 47, sizeof *some, by_letter, &sign);
        for (int i = 0; i < 50; i++)
            if (some[i].key == 3 && some[i].other == 1)
                sum++;
        char *words[] = {"one", "two", "three", "four"}, ***places = malloc(6 * sizeof *places);
        for (int i = 0; i < 4; i++)
            places[i] = &words[i];
        qsort(places, 4, sizeof *places, by_pointer);
        if (***places == 'f')
            sum++;
        free(places);
    }
    printf("%d\n", sum > 0);
    return 0;
}
