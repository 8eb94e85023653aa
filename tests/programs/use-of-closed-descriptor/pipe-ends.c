// Both ends of a pipe are closed in the function that reads the last byte, and the caller reads on.
// RUN: options --enable use-of-closed-descriptor
#include <unistd.h>

static int ends[2];

static int next(void) {
    char byte;
    if (read(ends[0], &byte, 1) == 1) return byte; // EXPECT use-of-closed-descriptor in read
    close(ends[0]);
    return -1;
}

int main(void) {
    int count = 0;
    if (pipe(ends)) return 2;
    if (write(ends[1], "ab", 2) != 2) return 2;
    close(ends[1]);
    while (next() >= 0) count++;
    if (count == 2 && next() >= 0) count++; // one more after the end
    return count != 2;
}
