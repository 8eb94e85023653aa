// A doubly linked list that keeps the exclusive or of both neighbours; its nodes are freed, so that
// no leak search needs to understand it.
#include <stdint.h>
#include <stdlib.h>

struct node {
    uintptr_t both;
    int value;
};

static struct node *step(struct node *from, struct node *at) {
    return (struct node *)(at->both ^ (uintptr_t)from);
}

int main(void) {
    struct node *first = NULL, *last = NULL;
    for (int i = 0; i < 50; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->both = (uintptr_t)last;
        if (last)
            last->both ^= (uintptr_t)n;
        else
            first = n;
        last = n;
    }
    int sum = 0;
    for (struct node *before = NULL, *n = last; n;) {
        sum += n->value;
        struct node *next = step(before, n);
        before = n;
        n = next;
    }
    struct node *before = NULL;
    for (struct node *n = first; n;) {
        struct node *next = step(before, n);
        free(before);
        before = n;
        n = next;
    }
    free(before);
    return sum != 49 * 50 / 2;
}
