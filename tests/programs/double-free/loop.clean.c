// A loop over an array of pointers frees each element once.
#include <stdlib.h>

enum { N = 20 };

int main(void) {
    int *a[N];
    for (int i = 0; i < N; i++)
        a[i] = malloc((i + 1) * sizeof *a[i]);
    free(a[12]);
    a[12] = NULL;
    for (int i = 0; i < N; i++)
        free(a[i]);
    return 0;
}
