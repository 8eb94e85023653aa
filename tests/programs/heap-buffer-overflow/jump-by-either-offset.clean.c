// A pointer is advanced by one of two offsets, and both lead into its block.
#include <stdlib.h>

int main(int argc, char **argv) {
    int *a = calloc(8, sizeof *a);
    int *b = calloc(8, sizeof *b);
    long distance = 2;
    int *p;
    if (argc > 1)
        p = a + 1;
    else
        p = a + distance;
    *p = 1;
    free(a);
    free(b);
    return 0;
}
