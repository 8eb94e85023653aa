// main frees a global buffer and clears it, and a function registered with atexit frees the null
// pointer.
#include <stdlib.h>

static char *buffer;

static void at_end(void) {
    free(buffer);
}

int main(void) {
    atexit(at_end);
    buffer = malloc(21);
    free(buffer);
    buffer = NULL;
    return 0;
}
