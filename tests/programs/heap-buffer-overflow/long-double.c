// Stores element 2 of an array of two long doubles (10 bytes are written, 16 are kept).
#include <stdlib.h>

int main(void) {
    long double *a = malloc(2 * sizeof *a); // ALLOC
    for (int i = 0; i < 3; i++)
        a[i] = i; // EXPECT heap-buffer-overflow write 10 block 32 after 0
    free(a);
    return 0;
}
