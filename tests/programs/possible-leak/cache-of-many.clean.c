// A cache is emptied before the end of main.
// RUN: options --enable possible-leak
#include <stdlib.h>

static int *cache[16];

__attribute__((noinline)) static int *get(int key) {
    int **slot = &cache[key % 16];
    if (!*slot)
        *slot = calloc(6, sizeof **slot);
    return *slot;
}

int main(void) {
    for (int i = 0; i < 100; i++)
        get(i)[i % 6]++;
    for (int i = 0; i < 16; i++)
        free(cache[i]);
    return 0;
}
