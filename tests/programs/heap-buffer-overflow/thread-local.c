// A block is overrun through a pointer in thread-local storage.
#include <stdlib.h>

static _Thread_local short *mine;

__attribute__((noinline)) static void put(int i) {
    mine[i] = 1; // EXPECT heap-buffer-overflow write 2 block 6 after 2
}

int main(void) {
    mine = malloc(3 * sizeof *mine); // ALLOC
    put(4);
    free(mine);
    return 0;
}
