// memcpy from a block before free.
#include <stdlib.h>
#include <string.h>

static void save(char *to, const char *from, int n) {
    memcpy(to, from, n);
}

int main(void) {
    char to[50];
    char *p = calloc(1, 50);
    save(to, p + 10, 30);
    free(p);
    return to[0] == 99;
}
