// Frees the string that strsep has moved on.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = strdup("key=value"); // ALLOC
    char *rest = line;
    char *key = strsep(&rest, "=");
    int ok = strcmp(key, "key") == 0;
    free(rest); // EXPECT free-inside-block block 10 inside 4
    return !ok;
}
