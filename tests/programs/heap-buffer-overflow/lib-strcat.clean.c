// strcat fills the destination, its terminator in the last byte.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(12);
    strcpy(s, "hello");
    strcat(s, " world");
    int n = (int)strlen(s);
    free(s);
    return n != 11;
}
