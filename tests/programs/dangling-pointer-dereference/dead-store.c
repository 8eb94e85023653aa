// Stores to a freed block that is never read again: an optimiser deletes the store.
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p); // ALLOC
    free(p); // FREE
    *p = 1; // EXPECT dangling-pointer-dereference write 4 block 4 inside 0
    return 0;
}
