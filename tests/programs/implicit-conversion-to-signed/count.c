// A number of elements is returned as an int.
// RUN: options --enable implicit-conversion-to-signed
#include <stddef.h>

static int elements(size_t bytes, size_t each) {
    return bytes / each; // EXPECT implicit-conversion-to-signed
}

int main(int argc, char **argv) {
    (void)argv;
    return elements((size_t)argc << 34, 4) == 7;
}
