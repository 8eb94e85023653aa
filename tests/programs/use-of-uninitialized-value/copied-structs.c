// Structures with padding and an unwritten member are copied around; then the member is used.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char kind;
    long key;
    short flags;
    double weight;
};

struct table {
    int count;
    struct entry entries[8];
};

__attribute__((noinline)) static void insert(struct table *table, const struct entry *entry) {
    int at = table->count++;
    for (; at > 0 && table->entries[at - 1].key > entry->key; at--)
        table->entries[at] = table->entries[at - 1];
    table->entries[at] = *entry;
}

int main(void) {
    struct table *table = malloc(sizeof *table); // BORN
    table->count = 0;
    for (int i = 0; i < 6; i++) {
        struct entry *entry = &table->entries[7];
        entry->kind = (char)('a' + i);
        entry->key = i * 5 % 7;
        entry->weight = i;
        insert(table, entry);
    }
    struct table copy = *table;
    double sum = 0;
    for (int i = 0; i < copy.count; i++)
        sum += copy.entries[i].weight * (double)copy.entries[i].key;
    printf("%g\n", sum);
    if (copy.entries[3].flags) // EXPECT use-of-uninitialized-value use branch
        puts("flagged");
    free(table);
    return 0;
}
