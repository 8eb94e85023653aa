// A load out of bounds whose value is never used: any optimiser deletes it.
#include <stdlib.h>

int main(void) {
    int *p = calloc(4, sizeof *p); // ALLOC
    int unused = p[4]; // EXPECT heap-buffer-overflow read 4 block 16 after 0
    (void)unused;
    free(p);
    return 0;
}
