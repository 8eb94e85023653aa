// A thousand blocks of the same size are allocated and freed between two different blocks.
#include <stdlib.h>

int main(void) {
    char *old = malloc(100);
    free(old);
    old = malloc(100);
    for (int i = 0; i < 1000; i++)
        free(malloc(100));
    free(old);
    return 0;
}
