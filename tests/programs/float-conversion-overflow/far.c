// A number of seconds is too large for a long.
// RUN: options --enable float-conversion-overflow
#include <limits.h>

static long nanoseconds(long double seconds) {
    return (long)(seconds * 1e9L); // EXPECT float-conversion-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return nanoseconds(1e11L * argc) == 77;
}
