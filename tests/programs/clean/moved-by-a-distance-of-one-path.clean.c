// A pointer is moved by a distance that only one path computes, from pointers that this path loads.
#include <stdlib.h>
#include <string.h>

struct text {
    char *start, *end;
    int size;
};

static char *old_places[8];
static int old_count;

/* As a buffer that grows: what points into the old place goes on in the new one. */
__attribute__((noinline)) static char *put(struct text *t, char *at, int count, char fill) {
    for (int i = 0; i < count; i++) {
        long distance = 0;
        if (at == t->end) {
            char *old = t->start, *larger = malloc(2 * (size_t)t->size);
            memcpy(larger, old, t->size);
            distance = larger - old;
            old_places[old_count++] = old;
            t->start = larger;
            t->size *= 2;
            t->end = larger + t->size;
        }
        at += distance;
        *at++ = fill;
    }
    return at;
}

/* To one of three, chosen by a switch with several cases for one. */
__attribute__((noinline)) static int get(char **from, char **to, int which, int n) {
    char *p = *from + n;
    long distance;
    switch (which) {
    case 1:
    case 2:
    case 5: distance = to[0] - *from; break;
    case 3: distance = to[1] - *from; break;
    default: distance = 0;
    }
    p += distance;
    return *p;
}

int main(void) {
    struct text t = {malloc(4), NULL, 4};
    char *first = t.start, *kept[8], *others[2] = {calloc(8, 1), calloc(8, 1)};
    t.end = t.start + 4;
    kept[0] = first;
    char *at = put(&t, t.start, 30, 'a');
    others[0][2] = 5;
    others[1][2] = 6;
    int good = at - t.start == 30 && t.start[29] == 'a' && t.size == 32;
    good &= get(kept, others, 1, 2) == 5 && get(kept, others, 2, 2) == 5 &&
            get(kept, others, 3, 2) == 6;
    good &= get(kept, others, 4, 2) == 'a' && get(kept, others, 5, 2) == 5;
    free(others[0]);
    free(others[1]);
    free(t.start);
    while (old_count) free(old_places[--old_count]);
    return !good;
}
