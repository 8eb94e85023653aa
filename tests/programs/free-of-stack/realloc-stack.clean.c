// realloc of the null pointer as a first buffer.
#include <stdlib.h>

int main(void) {
    char first[16];
    char *p = NULL;
    p = realloc(p, 32);
    p[31] = 1;
    free(p);
    return 0;
}
