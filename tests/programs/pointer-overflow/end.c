// A test of a length adds it to a pointer, and the sum wraps around.
// RUN: options --enable pointer-overflow
#include <stddef.h>
#include <stdint.h>

static int fits(const char *at, const char *end, ptrdiff_t length) {
    return at + length <= end; // EXPECT pointer-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    static char buffer[64];
    const char *middle = buffer + 8 * argc;
    return fits(middle, buffer + 64, PTRDIFF_MIN + 5) == 77;
}
