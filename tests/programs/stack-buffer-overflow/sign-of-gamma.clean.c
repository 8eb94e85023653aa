// The sign of the gamma function, an int, is stored to one.
// RUN: ldflags -lm
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>

__attribute__((noinline)) static double logarithm(double x, void *sign) {
    return lgamma_r(x, (int *)sign);
}

int main(int argc, char **argv) {
    int sign = 0;
    double value = logarithm(argc + 0.5, &sign);
    printf("%d %d\n", value < 0, sign > 0);
    return 0;
}
