// memcmp reads past the end of the shorter of two equal blocks.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *a = calloc(1, 24); // ALLOC
    char *b = calloc(1, 32);
    int differ = memcmp(b, a, 32); // EXPECT heap-buffer-overflow read * block 24 after 0
    free(a);
    free(b);
    return differ;
}
