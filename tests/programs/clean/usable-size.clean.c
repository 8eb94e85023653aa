// A program uses all that malloc_usable_size says.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int bad = 0;
    for (int n = 0; n < 200; n += 7) {
        char *p = malloc(n);
        size_t usable = malloc_usable_size(p);
        memset(p, 1, usable);
        for (size_t i = 0; i < usable; i++)
            bad += p[i] != 1;
        bad += usable < (size_t)n;
        free(p);
    }
    return bad + (malloc_usable_size(NULL) != 0);
}
