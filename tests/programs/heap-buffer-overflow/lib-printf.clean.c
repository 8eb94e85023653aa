// printf of %.*s with a precision, of a string that has no terminator.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(9);
    memset(s, 'b', 9);
    printf("[%.*s]\n", 9, s);
    free(s);
    return 0;
}
