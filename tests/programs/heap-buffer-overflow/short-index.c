// A 2-byte store to element 5 of an array of 5.
#include <stdlib.h>

static void set(short *a, int i) {
    a[i] = 3; // EXPECT heap-buffer-overflow write 2 block 10 after 0
}

int main(void) {
    short *a = malloc(5 * sizeof *a); // ALLOC
    set(a, 5);
    free(a);
    return 0;
}
