// A local bool is filled from a byte of a message.
// RUN: options --enable invalid-bool
#include <stdbool.h>
#include <string.h>

static int is_set(const unsigned char *message) {
    bool flag;
    memcpy(&flag, message + 1, sizeof flag);
    return flag ? 1 : 2; // EXPECT invalid-bool
}

int main(int argc, char **argv) {
    (void)argv;
    unsigned char message[] = {1, (unsigned char)(argc + 6)};
    return is_set(message) == 77;
}
