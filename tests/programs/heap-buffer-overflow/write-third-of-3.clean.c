// Writes all of a block of 3 bytes.
#include <stdlib.h>

int main(void) {
    char *p = malloc(3);
    p[0] = p[1] = p[2] = 'a';
    p[2] = 0;
    free(p);
    return 0;
}
