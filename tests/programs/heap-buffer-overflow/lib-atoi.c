// strtol reads digits to the end of a block and past it.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(4); // ALLOC
    memcpy(s, "1234", 4);
    long v = strtol(s, NULL, 10); // EXPECT heap-buffer-overflow read * block 4 after 0 in strtol
    free(s);
    return v == 99;
}
