// Thousands of allocations and frees of the same size, each block filled to its end.
#include <stdlib.h>

int main(void) {
    char *p = NULL;
    for (int i = 0; i < 5000; i++) {
        free(p);
        p = malloc(45);
        for (int j = 0; j < 45; j++)
            p[j] = (char)j;
    }
    p[44] = 0;
    free(p);
    return 0;
}
