// A backward loop strips blanks from a string that has nothing else, and stops at the begin.
#include <stdlib.h>
#include <string.h>

static void strip(char *s) {
    char *end = s + strlen(s);
    while (end > s && end[-1] == ' ')
        end--;
    *end = 0;
}

int main(void) {
    char *s = malloc(4);
    memcpy(s, "   ", 4);
    strip(s);
    int ok = *s == 0;
    free(s);
    return !ok;
}
