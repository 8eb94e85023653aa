// A store out of bounds to a block that is never read and does not escape: an optimiser deletes
// block and store.
#include <stdlib.h>

int main(void) {
    int *p = malloc(4 * sizeof *p); // ALLOC
    p[7] = 1; // EXPECT heap-buffer-overflow write 4 block 16 after 12
    free(p);
    return 0;
}
