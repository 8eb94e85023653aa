// The head of a list is kept in a global, and the other nodes are reachable from it.
#include <stdlib.h>

struct node {
    struct node *next;
    char payload[24];
};

static struct node *head;

__attribute__((noinline)) static void build(int n) {
    for (int i = 0; i < n; i++) {
        struct node *new = malloc(sizeof *new);
        new->next = head;
        head = new;
    }
}

__attribute__((noinline)) static void forget(void) {
    head = head;
}

int main(void) {
    build(5);
    forget();
    return 0;
}
