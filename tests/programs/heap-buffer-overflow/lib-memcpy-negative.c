// The rest of a packet is copied, and its header promises less than the header itself.
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char *packet = calloc(64, 1); // ALLOC
    unsigned char *body = malloc(64);
    packet[0] = 2;
    int rest = packet[0] - 4;
    memcpy(body, packet + 4, rest); // EXPECT heap-buffer-overflow read 18446744073709551614 block 64 inside 4 in memcpy
    free(body);
    free(packet);
    return 0;
}
