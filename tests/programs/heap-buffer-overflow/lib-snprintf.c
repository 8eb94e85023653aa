// snprintf is given a larger size than the block has, and its output is that long.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char *text = "a long line of text";
    int n = snprintf(NULL, 0, "%s", text);
    char *s = malloc(8); // ALLOC
    n -= snprintf(s, 64, "%s", text); // EXPECT heap-buffer-overflow write * block 8 after 0 in snprintf
    free(s);
    return n != 0;
}
