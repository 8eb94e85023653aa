// The result of a realloc that fails is tested before it is stored over the only pointer to the
// block.
#include <stdint.h>
#include <stdlib.h>

static char *buffer;

__attribute__((noinline)) static void grow(size_t size) {
    char *larger = realloc(buffer, size);
    if (larger)
        buffer = larger;
}

__attribute__((noinline)) static void start(void) {
    buffer = malloc(70);
}

int main(void) {
    start();
    grow(PTRDIFF_MAX);
    return 0;
}
