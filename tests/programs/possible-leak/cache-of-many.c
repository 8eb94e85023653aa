// A cache is still full at the end of main; all its blocks are from one line.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: options --enable possible-leak
#include <stdlib.h>

static int *cache[16];

__attribute__((noinline)) static int *get(int key) {
    int **slot = &cache[key % 16];
    if (!*slot)
        *slot = calloc(6, sizeof **slot); // EXPECT possible-leak block 24 count 16 bytes 384
    return *slot;
}

int main(void) {
    for (int i = 0; i < 100; i++)
        get(i)[i % 6]++;
    return 0;
}
