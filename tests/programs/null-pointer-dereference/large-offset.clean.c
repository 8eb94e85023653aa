// Element 100,000 of an array whose pointer is not null.
#include <stdlib.h>

__attribute__((noinline)) static double get(const double *a, long i) {
    return a[i];
}

int main(void) {
    double *a = calloc(100001, sizeof *a);
    double v = get(a, 100000);
    free(a);
    return v != 0;
}
