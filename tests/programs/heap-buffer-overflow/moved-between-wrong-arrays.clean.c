// A pointer into the keys is moved by the distance of the values, and is one of the values then.
#include <stdlib.h>

__attribute__((noinline)) static int move(int *keys, int *at, int *values, int extra) {
    int *p = keys + (values - keys) + extra;
    return *p + *at;
}

int main(void) {
    int *keys = calloc(8, sizeof(int));
    int *values = calloc(8, sizeof(int));
    int *others = calloc(8, sizeof(int));
    volatile long extra = others > values;
    int sum = move(keys, keys, values, extra);
    free(others);
    free(values);
    free(keys);
    return sum;
}
