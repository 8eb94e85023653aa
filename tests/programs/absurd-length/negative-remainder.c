// What is left of a message is computed before its length is tested: memcpy of "minus two" bytes
// between buffers of the thread.
#include <string.h>

static _Thread_local char message[64] = "ab", copied[64];

static int payload(size_t length) {
    memcpy(copied, message + 4, length - 4); // EXPECT absurd-length block none in memcpy
    return copied[0];
}

int main(void) {
    return payload(strlen(message));
}
