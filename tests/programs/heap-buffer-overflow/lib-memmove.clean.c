// Deleting the first element with memmove moves overlapping bytes up to the exact end.
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n = 10;
    int *a = calloc(n, sizeof *a);
    memmove(a, a + 1, (n - 1) * sizeof *a);
    free(a);
    return 0;
}
