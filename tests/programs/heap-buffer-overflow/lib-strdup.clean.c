// strndup reads exactly n bytes of a source that has no terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(7);
    memcpy(s, "abcdefg", 7);
    char *copy = strndup(s, 7);
    free(copy);
    free(s);
    return 0;
}
