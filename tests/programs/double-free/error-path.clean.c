// An error path clears the pointer that the common exit frees.
#include <stdlib.h>
#include <string.h>

static int parse(const char *text) {
    int result = 0;
    char *copy = malloc(strlen(text) + 1);
    if (!copy)
        return -1;
    strcpy(copy, text);
    if (copy[0] == '!') {
        free(copy);
        copy = NULL;
        result = -1;
        goto out;
    }
    result = copy[0];
out:
    free(copy);
    return result;
}

int main(void) {
    return parse("fine") != 'f' || parse("!bad") != -1;
}
