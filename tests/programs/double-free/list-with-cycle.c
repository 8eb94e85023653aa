// A list is freed that was closed to a ring by mistake.
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *head = malloc(sizeof *head); // ALLOC
    struct node *tail = malloc(sizeof *tail);
    head->next = tail;
    tail->next = head;
    struct node *order[3] = {head, tail, tail->next};
    for (int i = 0; i < 3; i++)
        free(order[i]); // FREE EXPECT double-free block 8 inside 0
    return 0;
}
