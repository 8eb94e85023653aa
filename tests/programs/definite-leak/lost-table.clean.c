// The table's owner frees what hangs on it, then the table.
#include <stdlib.h>
#include <string.h>

struct entry {
    char *name;
    long value[6];
};

struct table {
    struct entry *entry[2];
    void *spare;
};

static struct table *table;

__attribute__((noinline)) static char *copy(const char *text) {
    char *name = malloc(20);
    return strcpy(name, text);
}

__attribute__((noinline)) static struct entry *add(const char *text) {
    struct entry *entry = calloc(1, sizeof *entry);
    entry->name = copy(text);
    return entry;
}

__attribute__((noinline)) static void open_table(void) {
    table = malloc(sizeof *table);
    table->entry[0] = add("first");
    table->entry[1] = add("second");
    table->spare = malloc(118);
}

__attribute__((noinline)) static void drop_table(void) {
    for (int i = 0; i < 2; i++) {
        free(table->entry[i]->name);
        free(table->entry[i]);
    }
    free(table->spare);
    free(table);
    table = NULL;
}

int main(void) {
    open_table();
    drop_table();
    return 0;
}
