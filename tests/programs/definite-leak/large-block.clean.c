// The only pointer to a block of 10 megabytes is in another block, which a global points to.
#include <stdlib.h>

static char **holder;

__attribute__((noinline)) static void make(void) {
    holder = malloc(sizeof *holder);
    *holder = malloc(10000000);
    (*holder)[9999999] = 1;
}

int main(void) {
    make();
    return 0;
}
