// A list is freed from its begin.
// RUN: options --keep-going
#include <stdlib.h>
#include <string.h>

int main(void) {
    char **list = malloc(3 * sizeof *list);
    if (!list) return 1;
    list[0] = strdup("first");
    list++;
    free(list[-1]);
    free(list - 1);
    list = NULL;
    return 0;
}
