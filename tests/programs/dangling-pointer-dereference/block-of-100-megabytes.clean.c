// Writes the last byte of a block of 100 megabytes, frees it, and does so again with a new one.
#include <stdlib.h>

int main(void) {
    size_t size = 100000000;
    for (int i = 0; i < 2; i++) {
        char *p = malloc(size);

        p[size - 1] = 1;
            free(p);
    }
    return 0;
}
