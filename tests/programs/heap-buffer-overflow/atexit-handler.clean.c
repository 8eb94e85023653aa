// A function registered with atexit reads the last element of a block and frees it.
#include <stdlib.h>

static int *table;

static void at_end(void) {
    int last = table[7];
    free(table);
    if (last)
        abort();
}

int main(void) {
    table = calloc(8, sizeof *table);
    atexit(at_end);
    return 0;
}
