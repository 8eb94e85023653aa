// strncpy takes exactly n bytes of a source that has no terminator, and fills the destination
// exactly.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *from = malloc(8);
    char *to = malloc(8);
    memcpy(from, "no zeros", 8);
    strncpy(to, from, 8);
    free(from);
    free(to);
    return 0;
}
