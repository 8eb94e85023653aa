// A freed block is written while a new block of the same size is live, which a plain allocator
// would put in the same place.
#include <stdlib.h>

int main(void) {
    char *first = malloc(24); // ALLOC
    free(first); // FREE
    char *second = calloc(1, 24);
    first[3] = 1; // EXPECT dangling-pointer-dereference write 1 block 24 inside 3
    free(second);
    return 0;
}
