// A new block of the same size is allocated after the first is freed, and both are freed once.
#include <stdlib.h>

int main(void) {
    char *first = malloc(56);
    free(first);
    char *second = malloc(56);
    second[0] = 1;

    free(second);
    return 0;
}
