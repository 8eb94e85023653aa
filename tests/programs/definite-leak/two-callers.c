// One line loses blocks for two callers, which are two findings.
#include <stdlib.h>

__attribute__((noinline)) static char *make(void) {
    return calloc(1, 44); // EXPECT definite-leak block 44 count 3 EXPECT definite-leak block 44 count 2
}

__attribute__((noinline)) static int one(void) {
    char *p = make();
    int v = p[43];
    return v;
}

__attribute__((noinline)) static int two(void) {
    char *p = make();
    int v = p[42];
    return v;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += one();
    for (int i = 0; i < 2; i++)
        sum += two();
    return sum;
}
