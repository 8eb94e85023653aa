// A table is indexed in a loop by what another one says.
#include <stdlib.h>

enum { COUNT = 64 };

int main(void) {
    int *table = calloc(COUNT, sizeof *table);
    int *other = calloc(COUNT, sizeof *other);
    long order[COUNT];
    for (long i = 0; i < COUNT; i++)
        order[i] = i * 7 % COUNT;
    order[40] = COUNT - 1;
    for (int i = 0; i < COUNT; i++)
        table[order[i]] = i;
    free(table);
    free(other);
    return 0;
}
