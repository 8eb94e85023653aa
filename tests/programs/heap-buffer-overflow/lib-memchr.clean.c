// memchr is told of more bytes than the block has, and finds its byte before the end: allowed since
// C11.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = calloc(1, 10);
    p[9] = 'x';
    char *found = memchr(p, 'x', 20);
    int at = found ? (int)(found - p) : -1;
    free(p);
    return at != 9;
}
