// The end of a text is searched in a block behind what was written.
// RUN: options --enable uninitialized-read
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(16); // ALLOC
    if (!text)
        return 1;
    memcpy(text, "whence", 6);
    memset(text + 8, 0, 8);
    size_t length = strnlen(text, 16); // EXPECT uninitialized-read read 9 block 16 in strnlen
    free(text);
    return length > 16;
}
