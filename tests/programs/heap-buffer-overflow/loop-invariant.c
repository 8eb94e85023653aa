// A loop writes the same place after the block in each of its rounds: an optimiser moves the access
// out of the loop.
#include <stdlib.h>

static void set(char *p, int i) {
    p[i] = 1; // EXPECT heap-buffer-overflow write 1 block 10 after 0
}

int main(void) {
    char *p = malloc(10); // ALLOC
    for (int i = 0; i < 3; i++)
        set(p, 10);
    int v = p[9];
    free(p);
    return v == 99;
}
