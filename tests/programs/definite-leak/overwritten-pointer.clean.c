// A global pointer is overwritten with a second block after the first is freed.
#include <stdlib.h>

static int *table;

__attribute__((noinline)) static void load(int n) {
    free(table);
    table = calloc(n, sizeof *table);
}

int main(void) {
    load(10);
    load(20);
    return table[19];
}
