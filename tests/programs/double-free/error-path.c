// An error path frees a buffer, and so does the common exit.
#include <stdlib.h>
#include <string.h>

static int parse(const char *text) {
    int result = 0;
    char *copy = malloc(strlen(text) + 1); // ALLOC
    if (!copy)
        return -1;
    strcpy(copy, text);
    if (copy[0] == '!') {
        free(copy); // FREE
        result = -1;
        goto out;
    }
    result = copy[0];
out:
    free(copy); // EXPECT double-free block 5 inside 0
    return result;
}

int main(void) {
    return parse("fine") != 'f' || parse("!bad") != -1;
}
