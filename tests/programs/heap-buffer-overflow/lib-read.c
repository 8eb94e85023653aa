// read is given a larger count than the buffer has, and that many bytes come.
// RUN: stdin "0123456789abcdefghijklmnopqrstuvwxyz"
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(20); // ALLOC
    ssize_t n = read(0, p, 32); // EXPECT heap-buffer-overflow write * block 20 after 0 in read
    int last = n > 0 ? p[19] : 0;
    free(p);
    return last == 99 || n < 0;
}
