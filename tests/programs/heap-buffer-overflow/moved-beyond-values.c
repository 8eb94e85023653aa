// A pointer into the keys is moved to the values by the distance of the arrays, which have fewer values.
#include <stddef.h>
#include <stdlib.h>

struct slice {
    int *keys, *values;
};

__attribute__((noinline)) static void put(struct slice *at, int *key, int value) {
    ptrdiff_t offset = at->values - at->keys;
    int *p = at->keys + (key - at->keys);
    p += offset;
    *p = value; // EXPECT heap-buffer-overflow write 4 block 24 after 0
}

int main(void) {
    struct slice both = {malloc(8 * sizeof(int)), NULL};
    both.values = malloc(6 * sizeof(int)); // ALLOC
    for (int i = 0; i < 8; i++)
        put(&both, both.keys + i, i);
    free(both.values);
    free(both.keys);
    return 0;
}
