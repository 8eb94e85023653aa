// strdup reads a source that has no terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(7); // ALLOC
    memcpy(s, "abcdefg", 7);
    char *copy = strdup(s); // EXPECT heap-buffer-overflow read * block 7 after 0 in strdup
    free(copy);
    free(s);
    return 0;
}
