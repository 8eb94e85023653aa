// A destructor function, run after main, frees what main freed.
#include <stdlib.h>

static char *buffer;

__attribute__((destructor)) static void finish(void) {
    free(buffer); // EXPECT double-free block 22 inside 0
}

int main(void) {
    buffer = malloc(22); // ALLOC
    free(buffer); // FREE
    return 0;
}
