// A pointer is moved by a distance that only one path computes, to an array that is shorter.
#include <stdlib.h>

struct slice {
    int *keys, *values;
};

__attribute__((noinline)) static void put(struct slice *at, int *key, int kind) {
    long distance;
    switch (kind) {
    case 1:
    case 2:
    case 4: distance = at->values - at->keys; break;
    default: distance = 0;
    }
    int *p = at->keys + (key - at->keys);
    p += distance;
    *p = kind; // EXPECT heap-buffer-overflow write 4 block 24 after 0
}

int main(void) {
    struct slice both = {malloc(8 * sizeof(int)), NULL};
    both.values = malloc(6 * sizeof(int)); // ALLOC
    for (int i = 0; i < 8; i++) {
        put(&both, both.keys + i, 3);
        put(&both, both.keys + i, 2);
    }
    free(both.values);
    free(both.keys);
    return 0;
}
