// A block of a gigabyte from calloc of which a few bytes are used, and one grown to that size by
// realloc.
#include <stdlib.h>

int main(void) {
    size_t size = 1 << 30;
    char *p = calloc(1, size);
    if (!p)
        return 0;
    int sum = 0;
    for (size_t i = 0; i < size; i += 100000007)
        sum += p[i]++;
    p[size - 1] = 1;
    free(p);
    p = malloc(100);
    p[99] = 5;
    p = realloc(p, size);
    p[size - 1] = 1;
    sum += p[99] != 5;
    free(p);
    return sum;
}
