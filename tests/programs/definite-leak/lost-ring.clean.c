// A ring of blocks is reachable through a pointer into the middle of one of them.
#include <stdlib.h>

struct node {
    struct node *next, *previous;
};

static struct node **keep;

__attribute__((noinline)) static void build(int n) {
    struct node *first = NULL;
    for (int i = 0; i < n; i++) {
        struct node *new = malloc(sizeof *new);
        if (!first)
            first = new->next = new->previous = new;
        new->next = first;
        new->previous = first->previous;
        first->previous->next = new;
        first->previous = new;
    }
    keep = &first->previous;
}

int main(void) {
    build(7);
    return 0;
}
