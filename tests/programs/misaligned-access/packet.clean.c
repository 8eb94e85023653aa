// The number is copied.
// RUN: options --enable misaligned-access
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number(const unsigned char *packet) {
    uint32_t result;
    memcpy(&result, packet + 1, sizeof result);
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    unsigned char *packet = calloc(16, 1);
    if (packet == NULL)
        return 1;
    uint32_t found = number(packet);
    free(packet);
    return found == 77 + (uint32_t)argc;
}
