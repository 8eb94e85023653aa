// Of two numbers in a block, a function of the mathematical library stores one; the other is used, too.
// RUN: options --enable use-of-uninitialized-value
// RUN: ldflags -lm
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int *parts = malloc(2 * sizeof *parts); // BORN
    int exponent, sign;
    double sine, cosine, whole, x = argc + 0.5;
    float single[2], singles[2];
    long double extended[2];
    fenv_t environment;
    double rest = remquo(x, 1, parts) + frexp(x, &exponent) + modf(x, &whole) + lgamma_r(x, &sign);
    sincos(x, &sine, &cosine);
    sincosf(argc, &single[0], &singles[1]);
    sincosl(argc, &extended[0], &extended[1]);
    feholdexcept(&environment);
    fesetenv(&environment);
    int found = rest > 100 || exponent > 10 || whole > 10 || sign < 0 || sine > cosine + 2;
    if (single[0] > 2 || singles[1] > 2 || extended[0] + extended[1] > 3 || parts[0] > 10) found++;
    if (parts[1] > 10) puts("large"); // EXPECT use-of-uninitialized-value use branch
    printf("%d\n", found);
    free(parts);
    return 0;
}
