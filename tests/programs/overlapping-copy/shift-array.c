// The first element of an array is removed: memcpy where it must be memmove.
#include <stdlib.h>
#include <string.h>

static size_t drop_first(int *a, size_t count) {
    memcpy(a, a + 1, (count - 1) * sizeof *a); // EXPECT overlapping-copy block 40 inside 0 in memcpy
    return count - 1;
}

int main(void) {
    int *a = calloc(10, sizeof *a); // ALLOC
    size_t left = drop_first(a, 10);
    free(a);
    return left != 9;
}
