// strcmp of two equal strings, of which one has no terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(5); // ALLOC
    memcpy(s, "whenc", 5);
    int a = strcmp(s, "whence"); // EXPECT heap-buffer-overflow read * block 5 after 0 in strcmp
    int b = strncmp(s, "whence", 5);
    free(s);
    return !(a < 0 && b == 0);
}
