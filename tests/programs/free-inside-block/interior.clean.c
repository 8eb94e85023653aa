// A pointer is advanced over blanks, and the one that malloc returned is freed.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = strdup("    indented");
    char *p = line;
    while (*p == ' ')
        p++;
    free(line);
    return 0;
}
