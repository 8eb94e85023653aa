// memcpy from a block after free.
#include <stdlib.h>
#include <string.h>

static void save(char *to, const char *from, int n) {
    memcpy(to, from, n); // EXPECT dangling-pointer-dereference read 30 block 50 inside 10
}

int main(void) {
    char to[50];
    char *p = calloc(1, 50); // ALLOC
    free(p); // FREE
    save(to, p + 10, 30);
    return to[0] == 99;
}
