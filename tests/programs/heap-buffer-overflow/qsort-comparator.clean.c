// The comparison function of qsort compares the ints of an array.
#include <stdlib.h>

static long value(const void *item) {
    return *(const int *)item;
}

static int compare(const void *a, const void *b) {
    long x = value(a), y = value(b);
    return (x > y) - (x < y);
}

int main(void) {
    int *a = malloc(5 * sizeof *a);
    for (int i = 0; i < 5; i++)
        a[i] = 5 - i;
    qsort(a, 5, sizeof *a, compare);
    int first = a[0];
    free(a);
    return first != 1;
}
