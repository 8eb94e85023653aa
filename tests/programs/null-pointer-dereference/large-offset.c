// Element 100,000 of an array whose pointer is null, far above the pages that can never be mapped.
#include <stdlib.h>

__attribute__((noinline)) static double get(const double *a, long i) {
    return a[i]; // EXPECT null-pointer-dereference read 8 address 800000
}

int main(void) {
    double *a = NULL;
    double v = get(a, 100000);
    free(a);
    return v != 0;
}
