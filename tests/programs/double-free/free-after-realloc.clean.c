// realloc moves a block, and only the new pointer is freed.
#include <stdlib.h>

int main(void) {
    char *old = malloc(64);
    char *new = realloc(old, 1 << 20);
    if (new)
        new[0] = 1;

    free(new);
    return 0;
}
