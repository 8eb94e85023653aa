// Stores the last element of an array of two long doubles.
#include <stdlib.h>

int main(void) {
    long double *a = malloc(2 * sizeof *a);
    for (int i = 0; i < 2; i++)
        a[i] = i;
    free(a);
    return 0;
}
