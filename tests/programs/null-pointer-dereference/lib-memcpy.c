// memcpy from the null pointer.
#include <stdlib.h>
#include <string.h>

static void copy(char *to, const char *from, size_t n) {
    memcpy(to, from, n); // EXPECT null-pointer-dereference read 7 address 0
}

int main(void) {
    char to[8];
    copy(to, NULL, 7);
    return 0;
}
