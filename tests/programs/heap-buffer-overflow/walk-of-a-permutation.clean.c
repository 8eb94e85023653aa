// A walk whose next pointer is loaded at the index of the last one.
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
};

__attribute__((noinline)) static int sum(struct node *base, struct node **next) {
    int total = 0;
    for (struct node *p = base; p; p = next[p - base])
        total += p->key;
    return total;
}

int main(void) {
    struct node *base = calloc(4, sizeof *base);
    struct node **next = calloc(4, sizeof *next);
    for (int i = 0; i < 3; i++)
        next[i] = base + i + 1;
    printf("%d\n", sum(base, next));
    free(next);
    free(base);
    return 0;
}
