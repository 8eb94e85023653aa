// memcpy from and to the null pointer with no bytes.
#include <stdlib.h>
#include <string.h>

static void copy(char *to, const char *from, size_t n) {
    memcpy(to, from, n);
}

int main(void) {
    char to[8];
    copy(NULL, NULL, 0);
    return 0;
}
