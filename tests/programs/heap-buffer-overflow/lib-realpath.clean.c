// The result of realpath is as long as the path, and no longer.
// RUN: env LC_ALL=C
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *path = realpath("/usr/..", NULL);
    if (!path)
        return 1;
    path = realloc(path, strlen(path) + 4);
    strcat(path, "usr");
    free(path);
    return 0;
}
