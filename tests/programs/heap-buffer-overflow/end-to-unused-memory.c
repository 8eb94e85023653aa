// A pointer to the end of a block is moved back by a page too much, to memory that no block ever used.
#include <malloc.h>
#include <stdlib.h>

__attribute__((noinline)) static void finish(char *end, long back) {
    *(end - back) = 0; // EXPECT heap-buffer-overflow write 1 block 1 before 4096
}

int main(void) {
    char *p = memalign(64, 1); // ALLOC
    finish(p + 1, 4097);
    free(p);
    return 0;
}
