// The only pointer to a block of 10 megabytes is lost.
#include <stdlib.h>

static char **holder;

__attribute__((noinline)) static void make(void) {
    holder = malloc(sizeof *holder);
    *holder = malloc(10000000); // EXPECT definite-leak block 10000000 count 1 bytes 10000000
    (*holder)[9999999] = 1;
}

int main(void) {
    make();
    *holder = NULL;
    return 0;
}
