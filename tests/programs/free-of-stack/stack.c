// Frees an array on the stack.
#include <stdlib.h>
#include <string.h>

static int use(size_t n) {
    char small[64];
    char *p = n > sizeof small ? malloc(n) : small;
    memset(p, 1, n);
    int v = p[n - 1];
        free(p); // EXPECT free-of-stack block 64
    return v;
}

int main(void) {
    return use(100) + use(10) != 2;
}
