// Frees a block from posix_memalign once.
#include <stdlib.h>

int main(void) {
    void *p = NULL;
    if (posix_memalign(&p, 256, 1000))
        return 1;
    free(p);

    return 0;
}
