// Frees a block of 100 megabytes, allocates another and frees that.
#include <stdlib.h>

int main(void) {
    char *p = malloc(100000000);
    p[0] = 1;
    free(p);
    p = malloc(100000000);
    free(p);
    return 0;
}
