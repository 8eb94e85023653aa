// A pointer to the end of a block is moved back by one byte.
#include <malloc.h>
#include <stdlib.h>

__attribute__((noinline)) static void finish(char *end, long back) {
    *(end - back) = 0;
}

int main(void) {
    char *p = memalign(64, 1); // ALLOC
    finish(p + 1, 1);
    free(p);
    return 0;
}
