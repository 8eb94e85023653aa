// An error path frees both of two blocks.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int convert(const char *text) {
    char *copy = strdup(text);
    char *out = malloc(2 * strlen(text) + 1);
    if (strchr(copy, '?')) {
        free(out);
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
