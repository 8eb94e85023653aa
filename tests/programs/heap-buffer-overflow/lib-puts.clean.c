// fwrite of a string that has no terminator.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(24);
    memset(s, 'c', 24);
    fwrite(s, 1, 24, stdout);
    free(s);
    return 0;
}
