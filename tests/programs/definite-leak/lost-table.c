// A table is lost, and with it what three other functions have put there: one leak, that of the table.
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
    table = malloc(sizeof *table); // EXPECT definite-leak block 24 count 6 bytes 294 indirect 5
    table->entry[0] = add("first");
    table->entry[1] = add("second");
    table->spare = malloc(118);
}

__attribute__((noinline)) static void drop_table(void) {
    table = NULL;
}

int main(void) {
    open_table();
    drop_table();
    return 0;
}
