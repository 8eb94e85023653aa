// A function registered with atexit reads after the end of a block.
#include <stdlib.h>

static int *table;

static void at_end(void) {
    int last = table[8]; // EXPECT heap-buffer-overflow read 4 block 32 after 0
    free(table);
    if (last)
        abort();
}

int main(void) {
    table = calloc(8, sizeof *table); // ALLOC
    atexit(at_end);
    return 0;
}
