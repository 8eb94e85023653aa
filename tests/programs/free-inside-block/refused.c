// A free that is refused leaves its block behind, and what that leads to: one finding, no leaks.
// RUN: options --keep-going
#include <stdlib.h>
#include <string.h>

int main(void) {
    char **list = malloc(3 * sizeof *list); // ALLOC
    if (!list) return 1;
    list[0] = strdup("first");
    list++;
    free(list); // EXPECT free-inside-block inside 8
    list = NULL;
    return 0;
}
