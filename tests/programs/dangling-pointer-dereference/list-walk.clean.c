// Frees a list and takes the next pointer before the node is freed.
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    return n;
}

static void drop(struct node *n) {
    while (n) {
        struct node *next = n->next;
        free(n);
        n = next;
    }
}

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 10; i++)
        head = push(head, i);
    drop(head);
    return 0;
}
