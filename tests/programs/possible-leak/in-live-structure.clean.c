// A block that is reachable only through another one is freed, and so is that other one.
// RUN: options --enable possible-leak
#include <stdlib.h>

struct table {
    int n;
    char **row;
};

static struct table *table;

__attribute__((noinline)) static void create(void) {
    table = malloc(sizeof *table);
    table->row = calloc(3, sizeof *table->row);
}

int main(void) {
    create();
    free(table->row);
    free(table);
    return table == NULL;
}
