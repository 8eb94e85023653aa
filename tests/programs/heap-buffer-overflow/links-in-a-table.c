// A chain in a table, followed by the last node's distance from the table's begin, leads past the table.
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long key;
};

__attribute__((noinline)) static long sum(struct node *table, struct node *p) {
    long total = 0;
    while (p) {
        total += p->key; // EXPECT heap-buffer-overflow read 8 block 64 after 8
        p = table[p - table].next;
    }
    return total;
}

int main(void) {
    struct node *table = calloc(4, sizeof *table); // ALLOC
    for (int i = 0; i < 4; i++)
        table[i].next = table + i + 1;
    printf("%ld\n", sum(table, table));
    free(table);
    return 0;
}
