// memcpy fills its destination, and copies nothing to one past its end.
#include <stdlib.h>
#include <string.h>

static void append(char *to, const char *from, size_t n) {
    memcpy(to, from, n);
}

int main(void) {
    char *p = malloc(16);
    append(p, "0123456789", 10);
    append(p + 10, "abcdefgh", 6);
    append(p + 16, "", 0);
    free(p);
    return 0;
}
