// new[] with a number of elements that is negative.
// RUN: options --enable absurd-size
#include <cstdio>

static double *samples(int count) {
    return new double[count]; // EXPECT absurd-size
}

int main() {
    volatile int last = 10, first = 20;
    delete[] samples(last - first);
    return 0;
}
