// Overwrites the last character of a string from strdup.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("whence");
    size_t n = strlen(s);
    s[n - 1] = '!';
    s[n ] = 0;
    free(s);
    return 0;
}
