// A 2-byte store to element 4 of an array of 5.
#include <stdlib.h>

static void set(short *a, int i) {
    a[i] = 3;
}

int main(void) {
    short *a = malloc(5 * sizeof *a);
    set(a, 4);
    free(a);
    return 0;
}
