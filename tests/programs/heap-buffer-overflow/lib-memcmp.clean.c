// memcmp of two blocks that differ early, each as long as it is told.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *a = calloc(1, 24);
    char *b = calloc(1, 32);
    int differ = memcmp(b, a, 24);
    free(a);
    free(b);
    return differ;
}
