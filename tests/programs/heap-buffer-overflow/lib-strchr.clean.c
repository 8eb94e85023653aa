// strchr finds its character in a block without a terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(6);
    memcpy(s, "abcdef", 6);
    char *found = strchr(s, 'f');
    int at = found ? (int)(found - s) : 0;
    free(s);
    return at == 99;
}
