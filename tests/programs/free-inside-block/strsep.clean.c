// Frees the string that was given to strsep first.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = strdup("key=value");
    char *rest = line;
    char *key = strsep(&rest, "=");
    int ok = strcmp(key, "key") == 0;
    free(line);
    return !ok;
}
