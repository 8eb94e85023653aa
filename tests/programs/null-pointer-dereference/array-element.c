// Element 1000 of an array whose pointer was never set.
#include <stdlib.h>

static int *table;

int main(void) {
    table[1000] = 1; // EXPECT null-pointer-dereference write 4 address 4000
    free(table);
    return 0;
}
