// A loop reads one byte too many from a block of 13 bytes, whose last granule is partly used.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(13); // ALLOC
    int sum = 0;
    memset(p, 1, 13);
    for (char *q = p; q <= p + 13; q++)
        sum += *q; // EXPECT heap-buffer-overflow read 1 block 13 after 0
    free(p);
    return sum != 13;
}
