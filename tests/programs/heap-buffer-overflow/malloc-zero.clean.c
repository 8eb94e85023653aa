// A block of no bytes is compared and freed, and never accessed.
#include <stdlib.h>

int main(void) {
    char *p = malloc(0);
    int v = p == NULL;
    free(p);
    return v == 99;
}
