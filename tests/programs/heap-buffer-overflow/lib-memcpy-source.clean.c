// memcpy reads all of its source.
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char to[64];
    char *from = calloc(1, 50);
    memcpy(to, from, 50);
    free(from);
    return to[0];
}
