// A search that fails returns -1, which is then used as an index.
#include <stdlib.h>

static int find(const int *a, int n, int what) {
    for (int i = 0; i < n; i++)
        if (a[i] == what)
            return i;
    return -1;
}

int main(void) {
    int *a = calloc(6, sizeof *a); // ALLOC
    int *middle = a ;
    int i = find(middle, 3, 42);
    middle[i] = 1; // EXPECT heap-buffer-overflow write 4 block 24 before 4
    free(a);
    return 0;
}
