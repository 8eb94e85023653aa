// read is given the size of the buffer.
// RUN: stdin "0123456789abcdefghijklmnopqrstuvwxyz"
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(20);
    ssize_t n = read(0, p, 20);
    int last = n > 0 ? p[19] : 0;
    free(p);
    return last == 99 || n < 0;
}
