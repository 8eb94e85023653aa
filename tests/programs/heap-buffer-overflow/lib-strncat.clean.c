// strncat is given the room that is left, less the terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(10);
    strcpy(s, "12345");
    strncat(s, "6789abcdef", 10 - 5 - 1);
    int n = (int)strlen(s);
    free(s);
    return n != 9;
}
