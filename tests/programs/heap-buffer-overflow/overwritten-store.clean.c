// Two stores to the same place.
#include <stdlib.h>

static void twice(char *p, int i) {
    p[i] = 1;
    p[i] = 2;
}

int main(void) {
    char *p = malloc(9);
    twice(p, 8);
    int v = p[8];
    free(p);
    return v == 99;
}
