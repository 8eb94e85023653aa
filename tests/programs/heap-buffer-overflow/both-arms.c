// Both arms of a branch make the same access at different lines: an optimiser merges them into one.
#include <stdlib.h>

int main(int argc, char **argv) {
    int *p = malloc(3 * sizeof *p); // ALLOC
    if (argc > 1)
        p[3] = argc;
    else
        p[3] = -1; // EXPECT heap-buffer-overflow write 4 block 12 after 0
    free(p);
    return 0;
}
