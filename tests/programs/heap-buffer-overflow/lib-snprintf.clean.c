// snprintf is given a larger size than the block has, but its output is short, as POSIX allows; and
// no buffer at all.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char *text = "short";
    int n = snprintf(NULL, 0, "%s", text);
    char *s = malloc(8);
    n -= snprintf(s, 64, "%s", text);
    free(s);
    return n != 0;
}
