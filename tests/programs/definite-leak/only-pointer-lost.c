// A function returns without freeing the block that only its local variable pointed to.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int measure(const char *s) {
    char *copy = strdup(s); // EXPECT definite-leak block 9 count 1 bytes 9
    int n = (int)strlen(copy);
    return n;
}

int main(void) {
    return measure("a string") != 8;
}
