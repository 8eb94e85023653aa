// A ring is freed, and the loop stops at its first node.
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    struct node *tail = malloc(sizeof *tail);
    head->next = tail;
    tail->next = head;
    struct node *order[3] = {head, tail, tail->next};
    for (int i = 0; i < 2; i++)
        free(order[i]);
    return 0;
}
