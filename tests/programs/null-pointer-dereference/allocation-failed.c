// malloc of an impossible size returns the null pointer, which is written.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    volatile size_t size = PTRDIFF_MAX;
    char *p = malloc(size);
        p[0] = 'a'; // EXPECT null-pointer-dereference write 1 address 0
    free(p);
    return 0;
}
