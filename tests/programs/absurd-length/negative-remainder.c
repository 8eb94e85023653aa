// What is left of a message is computed before its length is tested: memcpy of "minus two" bytes
// between mapped pages.
#include <string.h>
#include <sys/mman.h>

static char *message, *copied;

static int payload(size_t length) {
    memcpy(copied, message + 4, length - 4); // EXPECT absurd-length block none in memcpy
    return copied[0];
}

int main(void) {
    message = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    copied = message + 4096;
    strcpy(message, "ab");
    return payload(strlen(message));
}
