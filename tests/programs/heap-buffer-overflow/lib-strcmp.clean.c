// strcmp stops at the first difference and strncmp at n, in blocks without a terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(5);
    memcpy(s, "whenc", 5);
    int a = strcmp(s, "where");
    int b = strncmp(s, "whence", 5);
    free(s);
    return !(a < 0 && b == 0);
}
