// The sign of the gamma function, an int, is stored to a variable of two bytes.
// Memcheck misses this: it knows no variables
// RUN: ldflags -lm
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>

__attribute__((noinline)) static double logarithm(double x, void *sign) {
    return lgamma_r(x, (int *)sign); // EXPECT stack-buffer-overflow write 4 block 2 after 0
}

int main(int argc, char **argv) {
    short sign = 0;
    double value = logarithm(argc + 0.5, &sign);
    printf("%d %d\n", value < 0, sign > 0);
    return 0;
}
