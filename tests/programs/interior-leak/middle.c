// A program keeps a pointer behind a header of its own, and forgets where the block begins.
// ASan misses this: a pointer anywhere into a block keeps it
// RUN: options --enable interior-leak
#include <stdlib.h>

static char *payload;

__attribute__((noinline)) static void receive(void) {
    char *packet = malloc(200); // EXPECT interior-leak block 200 count 1 bytes 200
    packet[0] = 1;
    payload = packet + 20;
}

int main(void) {
    receive();
    return payload == NULL;
}
