// The rest of a packet is copied, and its header promises less than the header itself.
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char *packet = calloc(64, 1);
    unsigned char *body = malloc(64);
    packet[0] = 6;
    int rest = packet[0] - 4;
    memcpy(body, packet + 4, rest);
    free(body);
    free(packet);
    return 0;
}
