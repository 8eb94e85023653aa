// The end of a text is searched in a block that was written.
// RUN: options --enable uninitialized-read
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(16);
    if (!text)
        return 1;
    memcpy(text, "whence", 7);
    memset(text + 8, 0, 8);
    size_t length = strnlen(text, 16);
    free(text);
    return length > 16;
}
