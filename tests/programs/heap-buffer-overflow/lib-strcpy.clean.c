// strcpy to a block with room for the terminator.
#include <stdlib.h>
#include <string.h>

static char *copy(const char *s) {
    char *to = malloc(strlen(s) + 1);
    strcpy(to, s);
    return to;
}

int main(void) {
    char *s = copy("eleven char");
    free(s);
    return 0;
}
