// A new block of the same size is written through its own pointer.
#include <stdlib.h>

int main(void) {
    char *first = malloc(24);
    free(first);
    char *second = calloc(1, 24);
    second[3] = 1;
    free(second);
    return 0;
}
