// new[] with a number of elements that is positive.
// RUN: options --enable absurd-size
#include <cstdio>

static double *samples(int count) {
    return new double[count];
}

int main() {
    volatile int last = 10, first = 20;
    delete[] samples(first - last);
    return 0;
}
