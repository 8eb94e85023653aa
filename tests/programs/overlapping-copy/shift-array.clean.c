// The first element of an array is removed.
#include <stdlib.h>
#include <string.h>

static size_t drop_first(int *a, size_t count) {
    memmove(a, a + 1, (count - 1) * sizeof *a);
    return count - 1;
}

int main(void) {
    int *a = calloc(10, sizeof *a);
    size_t left = drop_first(a, 10);
    free(a);
    return left != 9;
}
