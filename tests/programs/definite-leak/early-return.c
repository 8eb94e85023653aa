// An error path returns without freeing one of two blocks.
// ASan misses this: a stale copy of the pointer is still on the stack
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int convert(const char *text) {
    char *copy = strdup(text);
    char *out = malloc(2 * strlen(text) + 1); // EXPECT definite-leak block 7 count 1 bytes 7
    if (strchr(copy, '?')) {
        free(copy);
        return -1;
    }
    strcpy(out, copy);
    free(copy);
    free(out);
    return 0;
}

int main(void) {
    return convert("abc") != 0 || convert("a?c") != -1;
}
