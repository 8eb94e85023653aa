// memcpy from the null pointer.
#include <stdlib.h>
#include <string.h>

static void copy(char *to, const char *from, size_t n) {
    memcpy(to, from, n); // EXPECT null-argument address 0 in memcpy
}

int main(void) {
    char to[8];
    copy(to, NULL, 7);
    return 0;
}
