// The last third of a block of 30 megabytes is written and summed.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 30 << 20 };

__attribute__((noinline)) static long sum(const unsigned char *bytes, size_t count) {
    long total = 0;
    for (size_t i = 0; i < count; i++)
        total += bytes[i];
    return total;
}

int main(void) {
    unsigned char *bytes = malloc(COUNT);
    for (size_t i = 0; i < COUNT; i++)
        bytes[i] = (unsigned char)i;
    if (sum(bytes + COUNT / 3 * 2, COUNT / 3) == 77)
        puts("77");
    free(bytes);
    return 0;
}
