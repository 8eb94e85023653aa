// realloc of an array on the stack, meant as a first buffer.
#include <stdlib.h>

int main(void) {
    char first[16];
    char *p = first;
    p = realloc(p, 32); // EXPECT free-of-stack block 16
    p[31] = 1;
    free(p);
    return 0;
}
