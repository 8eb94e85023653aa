// A function frees the block that only its local variable pointed to.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int measure(const char *s) {
    char *copy = strdup(s);
    int n = (int)strlen(copy);
    free(copy);
    return n;
}

int main(void) {
    return measure("a string") != 8;
}
