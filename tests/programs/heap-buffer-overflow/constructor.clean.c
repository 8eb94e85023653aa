// A constructor, run before main, fills the block it allocates.
#include <stdlib.h>

static char *early;

__attribute__((constructor)) static void prepare(void) {
    early = malloc(5);
    for (int i = 0; i < 5; i++)
        early[i] = 1;
}

int main(void) {
    free(early);
    return 0;
}
