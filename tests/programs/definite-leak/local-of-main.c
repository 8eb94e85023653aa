// Only a local variable of main pointed to a block, and main returns.
#include <stdlib.h>

__attribute__((noinline)) static void *make(size_t n) {
    return calloc(1, n); // EXPECT definite-leak block 39 count 1 bytes 39
}

int main(void) {
    char *volatile p = make(39);
    p[0] = 1;
    return 0;
}
