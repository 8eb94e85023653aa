// Only a local variable of main points to a block, and main ends the program with exit while the
// variable lives.
#include <stdlib.h>

__attribute__((noinline)) static void *make(size_t n) {
    return calloc(1, n);
}

int main(void) {
    char *volatile p = make(39);
    p[0] = 1;
    exit(0);
}
