// What is left of a message is computed after its length is tested.
#include <string.h>

static _Thread_local char message[64] = "ab", copied[64];

static int payload(size_t length) {
    if (length >= 4) memcpy(copied, message + 4, length - 4);
    return copied[0];
}

int main(void) {
    return payload(strlen(message));
}
