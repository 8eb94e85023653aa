// The comparison function of qsort compares longs in an array of ints.
// Memcheck misses this: by default it allows loads that are partly in a block
#include <stdlib.h>

static long value(const void *item) {
    return *(const long *)item; // EXPECT heap-buffer-overflow read 8 block 20 after 0
}

static int compare(const void *a, const void *b) {
    long x = value(a), y = value(b);
    return (x > y) - (x < y);
}

int main(void) {
    int *a = malloc(5 * sizeof *a); // ALLOC
    for (int i = 0; i < 5; i++)
        a[i] = 5 - i;
    qsort(a, 5, sizeof *a, compare);
    int first = a[0];
    free(a);
    return first == 99;
}
