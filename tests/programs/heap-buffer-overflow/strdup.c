// Appends to a string from strdup, in place of its terminator and after it.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("whence"); // ALLOC
    size_t n = strlen(s);
    s[n ] = '!';
    s[n + 1] = 0; // EXPECT heap-buffer-overflow write 1 block 7 after 0
    free(s);
    return 0;
}
