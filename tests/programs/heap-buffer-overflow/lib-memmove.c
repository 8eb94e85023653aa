// Deleting the first element with memmove moves one element too many.
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n = 10;
    int *a = calloc(n, sizeof *a); // ALLOC
    memmove(a, a + 1, n * sizeof *a); // EXPECT heap-buffer-overflow read 40 block 40 after 0
    free(a);
    return 0;
}
