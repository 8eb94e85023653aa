// One line allocates blocks for two callers, which free them.
#include <stdlib.h>

__attribute__((noinline)) static char *make(void) {
    return calloc(1, 44);
}

__attribute__((noinline)) static int one(void) {
    char *p = make();
    int v = p[43];
    free(p);
    return v;
}

__attribute__((noinline)) static int two(void) {
    char *p = make();
    int v = p[42];
    free(p);
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
