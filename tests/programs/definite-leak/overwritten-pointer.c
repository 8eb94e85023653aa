// A global pointer is overwritten with a second block before the first is freed.
#include <stdlib.h>

static int *table;

__attribute__((noinline)) static void load(int n) {
    table = calloc(n, sizeof *table); // EXPECT definite-leak block 40 count 1 bytes 40
}

int main(void) {
    load(10);
    load(20);
    return table[19];
}
