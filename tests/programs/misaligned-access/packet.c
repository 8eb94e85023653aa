// A number is read from the middle of a packet.
// RUN: options --enable misaligned-access
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number(const unsigned char *packet) {
    return *(const uint32_t *)(packet + 1); // EXPECT misaligned-access
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
