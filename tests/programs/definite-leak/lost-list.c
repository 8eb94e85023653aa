// The head of a list is lost; the other nodes are reachable only from it.
#include <stdlib.h>

struct node {
    struct node *next;
    char payload[24];
};

static struct node *head;

__attribute__((noinline)) static void build(int n) {
    for (int i = 0; i < n; i++) {
        struct node *new = malloc(sizeof *new); // EXPECT definite-leak block 32 count 5 bytes 160 indirect 4
        new->next = head;
        head = new;
    }
}

__attribute__((noinline)) static void forget(void) {
    head = NULL;
}

int main(void) {
    build(5);
    forget();
    return 0;
}
