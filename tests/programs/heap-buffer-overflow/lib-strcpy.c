// strcpy to a block with no room for the terminator.
#include <stdlib.h>
#include <string.h>

static char *copy(const char *s) {
    char *to = malloc(strlen(s)); // ALLOC
    strcpy(to, s); // EXPECT heap-buffer-overflow write * block 11 after 0 in strcpy
    return to;
}

int main(void) {
    char *s = copy("eleven char");
    free(s);
    return 0;
}
