// posix_memalign with the alignment of a pointer.
// RUN: options --enable refused-alignment
#include <stdlib.h>

int main(void) {
    void *p = NULL;
    int error = posix_memalign(&p, 8, 100);
    free(p);
    return error;
}
