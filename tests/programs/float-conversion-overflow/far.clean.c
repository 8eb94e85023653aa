// A number of seconds is compared with the limits of long first.
// RUN: options --enable float-conversion-overflow
#include <limits.h>

static long nanoseconds(long double seconds) {
    return seconds >= 9e9L ? LONG_MAX : (long)(seconds * 1e9L);
}

int main(int argc, char **argv) {
    (void)argv;
    return nanoseconds(1e11L * argc) == 77;
}
