// Arrays from 1 to n: the pointer handed to other functions is one element before the block.
#include <stdlib.h>

#define N 100

__attribute__((noinline)) static double *vector(int n) {
    return (double *)malloc(n * sizeof(double)) - 1;
}

__attribute__((noinline)) static void fill(double *v, int n) {
    for (int i = 1; i <= n; i++)
        v[i] = i;
}

__attribute__((noinline)) static double sum(const double *v, int n) {
    double s = 0;
    for (int i = 1; i <= n; i++)
        s += v[i];
    return s;
}

__attribute__((noinline)) static void release(double *v) {
    free(v + 1);
}

int main(void) {
    double *v[64];
    for (int k = 0; k < 64; k++) {
        v[k] = vector(N);
        fill(v[k], N);
    }
    int ok = 1;
    for (int k = 0; k < 64; k++) {
        ok &= sum(v[k], N) == N * (N + 1) / 2;
        release(v[k]);
    }
    return !ok;
}
