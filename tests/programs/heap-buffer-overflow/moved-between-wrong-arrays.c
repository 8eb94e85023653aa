// A pointer into the keys is moved by the distance of the values from two other arrays: it lands in a live
// block that takes no part in that distance.
// ASan misses this: the address belongs to a live block
// Memcheck misses this: the address belongs to a live block
#include <stdlib.h>

__attribute__((noinline)) static int move(int *keys, int *at, int *values, int extra) {
    int *p = keys + (values - keys) + extra;
    return *p + *at; // EXPECT heap-buffer-overflow read 4 block 32
}

int main(void) {
    int *keys = calloc(8, sizeof(int));
    int *values = calloc(8, sizeof(int)); // ALLOC
    int *others = calloc(8, sizeof(int));
    volatile long extra = others - values;
    int sum = move(keys, keys, values, extra);
    free(others);
    free(values);
    free(keys);
    return sum;
}
