// Element 1000 of an array whose pointer was set.
#include <stdlib.h>

static int *table;

int main(void) {
    table = calloc(1001, sizeof *table);
    table[1000] = 1;
    free(table);
    return 0;
}
