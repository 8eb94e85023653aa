// A constructor, run before main, overruns the block it allocates.
#include <stdlib.h>

static char *early;

__attribute__((constructor)) static void prepare(void) {
    early = malloc(5); // ALLOC
    for (int i = 0; i < 6; i++)
        early[i] = 1; // EXPECT heap-buffer-overflow write 1 block 5 after 0
}

int main(void) {
    free(early);
    return 0;
}
