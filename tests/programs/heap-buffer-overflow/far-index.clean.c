// An index that is far from the begin of a large block and inside it.
#include <stdlib.h>

static int read_at(const int *a, long i) {
    return a[i];
}

int main(void) {
    int *a = calloc(100001, sizeof *a);
    int v = read_at(a, 100000);
    free(a);
    return v == 1;
}
