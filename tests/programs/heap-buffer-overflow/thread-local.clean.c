// A block is filled through a pointer in thread-local storage.
#include <stdlib.h>

static _Thread_local short *mine;

__attribute__((noinline)) static void put(int i) {
    mine[i] = 1;
}

int main(void) {
    mine = malloc(3 * sizeof *mine);
    put(2);
    free(mine);
    return 0;
}
