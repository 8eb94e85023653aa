// memcpy of a variable length writes past the end of its destination.
#include <stdlib.h>
#include <string.h>

static void append(char *to, const char *from, size_t n) {
    memcpy(to, from, n); // EXPECT heap-buffer-overflow write * block 16 after 0
}

int main(void) {
    char *p = malloc(16); // ALLOC
    append(p, "0123456789", 10);
    append(p + 10, "abcdefgh", 8);
    append(p + 16, "", 0);
    free(p);
    return 0;
}
