// A search returns an index relative to the middle of a block, which may be negative.
#include <stdlib.h>

static int find(const int *a, int n, int what) {
    for (int i = 0; i < n; i++)
        if (a[i] == what)
            return i;
    return -1;
}

int main(void) {
    int *a = calloc(6, sizeof *a);
    int *middle = a + 3;
    int i = find(middle, 3, 42);
    middle[i] = 1;
    free(a);
    return 0;
}
