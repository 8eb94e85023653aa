// memchr looks past the end of its block for a byte that is not there.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = calloc(1, 10); // ALLOC
    p[9] = 0;
    char *found = memchr(p, 'x', 20); // EXPECT heap-buffer-overflow read * block 10 after 0 in memchr
    int at = found ? (int)(found - p) : -1;
    free(p);
    return 0;
}
