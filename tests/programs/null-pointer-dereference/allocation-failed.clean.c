// malloc of an impossible size returns the null pointer, which is tested.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    volatile size_t size = PTRDIFF_MAX;
    char *p = malloc(size);
    if (p)
        p[0] = 'a';
    free(p);
    return 0;
}
