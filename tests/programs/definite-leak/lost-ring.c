// A ring of blocks is lost: each is reachable from another one, and none from the program.
// ASan misses this: a stale copy of the pointer is still on the stack
#include <stdlib.h>

struct node {
    struct node *next, *previous;
};

static struct node **keep;

__attribute__((noinline)) static void build(int n) {
    struct node *first = NULL;
    for (int i = 0; i < n; i++) {
        struct node *new = malloc(sizeof *new); // EXPECT definite-leak block 16 count 7 bytes 112
        if (!first)
            first = new->next = new->previous = new;
        new->next = first;
        new->previous = first->previous;
        first->previous->next = new;
        first->previous = new;
    }
}

int main(void) {
    build(7);
    return 0;
}
