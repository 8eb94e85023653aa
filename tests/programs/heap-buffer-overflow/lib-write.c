// write is given a larger count than the buffer has.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(15); // ALLOC
    memset(p, 'd', 15);
    ssize_t n = write(1, p, 16); // EXPECT heap-buffer-overflow read 16 block 15 after 0 in write
    free(p);
    return n < 0;
}
