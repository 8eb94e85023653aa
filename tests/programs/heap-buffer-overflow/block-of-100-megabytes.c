// Reads the word before a block of 100 megabytes.
#include <stdlib.h>

int main(void) {
    size_t count = 100000000 / sizeof(long);
    long *p = calloc(count, sizeof *p); // ALLOC
    long v = p[count - 1] + p[-1]; // EXPECT heap-buffer-overflow read 8 block 100000000 before 8
    free(p);
    return v == 1;
}
