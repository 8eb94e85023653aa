// A backward loop strips blanks from a string that has nothing else, and reads the byte before the
// block.
#include <stdlib.h>
#include <string.h>

static void strip(char *s) {
    char *end = s + strlen(s);
    while (end[-1] == ' ') // EXPECT heap-buffer-overflow read 1 block 4 before 1
        end--;
    *end = 0;
}

int main(void) {
    char *s = malloc(4); // ALLOC
    memcpy(s, "   ", 4);
    strip(s);
    int ok = *s == 0;
    free(s);
    return !ok;
}
