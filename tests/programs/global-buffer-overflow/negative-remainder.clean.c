// What is left of a message is computed after its length is tested.
#include <string.h>

static char message[64] = "ab";

static int payload(char *to, size_t length) {
    to[0] = 0;
    if (length >= 4) memcpy(to, message + 4, length - 4);
    return to[0];
}

int main(void) {
    char local[64];
    return payload(local, strlen(message));
}
