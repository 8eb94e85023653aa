// A variadic function stores its arguments, and is given the count that the block holds.
#include <stdarg.h>
#include <stdlib.h>

static void collect(double *to, int n, ...) {
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        to[i] = va_arg(ap, double);
    va_end(ap);
}

int main(void) {
    double *a = malloc(9 * sizeof *a);
    collect(a, 9, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    double last = a[8];
    free(a);
    return last != 9;
}
