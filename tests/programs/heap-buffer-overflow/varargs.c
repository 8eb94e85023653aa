// A variadic function stores its arguments, and is given a count that is one more than the block
// holds.
#include <stdarg.h>
#include <stdlib.h>

static void collect(double *to, int n, ...) {
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        to[i] = va_arg(ap, double); // EXPECT heap-buffer-overflow write 8 block 72 after 0
    va_end(ap);
}

int main(void) {
    double *a = malloc(9 * sizeof *a); // ALLOC
    collect(a, 10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    double last = a[8];
    free(a);
    return last != 9;
}
