// write from a block after free.
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *p = calloc(1, 12); // ALLOC
    free(p); // FREE
    ssize_t n = write(1, p, 12); // EXPECT dangling-pointer-dereference read 12 block 12 inside 0 in write
    return n < 0;
}
