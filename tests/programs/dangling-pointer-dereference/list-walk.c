// Frees a list and takes the next pointer from the node that was just freed.
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value) {
    struct node *n = malloc(sizeof *n); // ALLOC
    n->value = value;
    n->next = head;
    return n;
}

static void drop(struct node *n) {
    while (n) {
        free(n); // FREE
        n = n->next; // EXPECT dangling-pointer-dereference read 8 block 16 inside 8
    }
}

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 10; i++)
        head = push(head, i);
    drop(head);
    return 0;
}
