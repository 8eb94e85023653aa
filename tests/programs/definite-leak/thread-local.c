// Only a thread-local variable pointed to a block, and it is set to null.
// ASan misses this: a stale copy of the pointer is still on the stack
#include <stdlib.h>

static _Thread_local struct cache {
    int n;
    long *entries;
} cache;

__attribute__((noinline)) static void fill(void) {
    cache.entries = malloc(9 * sizeof(long)); // EXPECT definite-leak block 72 count 1 bytes 72
    cache.entries[8] = 1;
}

int main(void) {
    fill();
    cache.entries = NULL;
    return 0;
}
