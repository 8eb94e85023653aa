// Only a thread-local variable points to a block.
#include <stdlib.h>

static _Thread_local struct cache {
    int n;
    long *entries;
} cache;

__attribute__((noinline)) static void fill(void) {
    cache.entries = malloc(9 * sizeof(long));
    cache.entries[8] = 1;
}

int main(void) {
    fill();
    return 0;
}
