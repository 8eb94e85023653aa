// Two accesses at two lines of one function.
#include <stdlib.h>

int main(void) {
    char *p = malloc(5);
    p[4] = 1;
    p[3] = 2;
    free(p);
    return 0;
}
