// The result of a realloc that fails is stored over the only pointer to the block, which stays
// allocated.
#include <stdint.h>
#include <stdlib.h>

static char *buffer;

__attribute__((noinline)) static void grow(size_t size) {
    buffer = realloc(buffer, size);
}

__attribute__((noinline)) static void start(void) {
    buffer = malloc(70); // EXPECT definite-leak block 70 count 1 bytes 70
}

int main(void) {
    start();
    grow(PTRDIFF_MAX);
    return 0;
}
