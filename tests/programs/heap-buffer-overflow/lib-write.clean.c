// write is given the size of the buffer.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(15);
    memset(p, 'd', 15);
    ssize_t n = write(1, p, 15);
    free(p);
    return n < 0;
}
