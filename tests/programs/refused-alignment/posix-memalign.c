// posix_memalign with an alignment less than that of a pointer.
// RUN: options --enable refused-alignment
#include <stdlib.h>

int main(void) {
    void *p = NULL;
    int error = posix_memalign(&p, 4, 100); // EXPECT refused-alignment in posix_memalign
    free(p);
    return error;
}
