// strnlen of a block that is full and has no terminator, and strlen of one with its terminator
// last.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(19);
    memset(s, 'a', 19);
    size_t n = strnlen(s, 19);
    s[18] = 0;
    n += strlen(s);
    free(s);
    return n == 99;
}
