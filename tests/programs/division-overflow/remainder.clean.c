// The remainder of a division by -1 is 0.
// RUN: options --enable division-overflow
#include <stdint.h>

static int64_t rest(int64_t value, int64_t by) {
    return by == -1 ? 0 : value % by;
}

int main(int argc, char **argv) {
    (void)argv;
    return rest(INT64_MIN, -argc) == 1;
}
