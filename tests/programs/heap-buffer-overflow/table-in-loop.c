// A table is indexed in a loop by what another one says, and one index leads into another live block.
// ASan misses this: the address belongs to a live block
// Memcheck misses this: the address belongs to a live block
#include <stdlib.h>

enum { COUNT = 64 };

int main(void) {
    int *table = calloc(COUNT, sizeof *table); // ALLOC
    int *other = calloc(COUNT, sizeof *other);
    long order[COUNT];
    for (long i = 0; i < COUNT; i++)
        order[i] = i * 7 % COUNT;
    order[40] = other - table;
    for (int i = 0; i < COUNT; i++)
        table[order[i]] = i; // EXPECT heap-buffer-overflow write 4 block 256
    free(table);
    free(other);
    return 0;
}
