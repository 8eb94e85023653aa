// main frees a global buffer, and a function registered with atexit frees it too.
#include <stdlib.h>

static char *buffer;

static void at_end(void) {
    free(buffer); // EXPECT double-free block 21 inside 0
}

int main(void) {
    atexit(at_end);
    buffer = malloc(21); // ALLOC
    free(buffer); // FREE
    return 0;
}
