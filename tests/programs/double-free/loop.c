// A loop over an array of pointers frees an element twice, because it was copied when the array was
// sorted.
#include <stdlib.h>

enum { N = 20 };

int main(void) {
    int *a[N];
    for (int i = 0; i < N; i++)
        a[i] = malloc((i + 1) * sizeof *a[i]); // ALLOC
    a[12] = a[7];
    for (int i = 0; i < N; i++)
        free(a[i]); // FREE EXPECT double-free block 32 inside 0
    return 0;
}
