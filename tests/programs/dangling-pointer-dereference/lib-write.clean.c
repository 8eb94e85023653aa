// write from a block before free.
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *p = calloc(1, 12);

    ssize_t n = write(1, p, 12);
    free(p);
    return n < 0;
}
