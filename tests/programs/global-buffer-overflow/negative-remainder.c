// What is left of a message is computed before its length is tested: memcpy of "minus two" bytes
// between a global buffer and a local one.
#include <string.h>

static char message[64] = "ab";

static int payload(char *to, size_t length) {
    memcpy(to, message + 4, length - 4); // EXPECT global-buffer-overflow read * block 64 inside 4 in memcpy
    return to[0];
}

int main(void) {
    char local[64];
    return payload(local, strlen(message));
}
