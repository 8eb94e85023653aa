// A pointer is advanced over blanks and then freed.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = strdup("    indented"); // ALLOC
    char *p = line;
    while (*p == ' ')
        p++;
    free(p); // EXPECT free-inside-block block 13 inside 4
    return 0;
}
