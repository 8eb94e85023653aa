// memcpy reads past the end of its source.
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char to[64];
    char *from = calloc(1, 50); // ALLOC
    memcpy(to, from, sizeof to); // EXPECT heap-buffer-overflow read 64 block 50 after 0
    free(from);
    return to[0];
}
