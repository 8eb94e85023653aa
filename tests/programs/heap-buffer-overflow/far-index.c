// An index that is a thousand times the size of the block, far beyond any red zone.
#include <stdlib.h>

static int read_at(const int *a, long i) {
    return a[i]; // EXPECT heap-buffer-overflow read 4 block 400 after 399600
}

int main(void) {
    int *a = calloc(100, sizeof *a); // ALLOC
    int v = read_at(a, 100000);
    free(a);
    return v == 1;
}
