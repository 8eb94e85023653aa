// A program keeps the block that a header of its own is in.
// RUN: options --enable interior-leak
#include <stdlib.h>

static char *payload;

__attribute__((noinline)) static void receive(void) {
    char *packet = malloc(200);
    packet[0] = 1;
    payload = packet;
}

int main(void) {
    receive();
    return payload == NULL;
}
