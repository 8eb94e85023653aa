// strlen of a string before free.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("some text");

    size_t n = strlen(s);
    free(s);
    return n == 99;
}
