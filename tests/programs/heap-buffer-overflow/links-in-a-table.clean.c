// A chain in a table of nodes, followed by the distance of the last node from the begin of the table.
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long key;
};

__attribute__((noinline)) static long sum(struct node *table, struct node *p) {
    long total = 0;
    while (p) {
        total += p->key;
        p = table[p - table].next;
    }
    return total;
}

int main(void) {
    struct node *table = calloc(4, sizeof *table);
    for (int i = 0; i < 3; i++)
        table[i].next = table + i + 1;
    printf("%ld\n", sum(table, table));
    free(table);
    return 0;
}
