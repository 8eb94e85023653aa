// A block is still allocated at the end of main, and reachable only through another one.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: options --enable possible-leak
#include <stdlib.h>

struct table {
    int n;
    char **row;
};

static struct table *table;

__attribute__((noinline)) static void create(void) {
    table = malloc(sizeof *table); // EXPECT possible-leak block 16 count 1 bytes 16
    table->row = calloc(3, sizeof *table->row); // EXPECT possible-leak block 24 count 1 bytes 24
}

int main(void) {
    create();
    return table == NULL;
}
