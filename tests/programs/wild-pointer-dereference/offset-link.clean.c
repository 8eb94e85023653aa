// Links are offsets from the begin of an arena; one of them leads to the third node.
#include <stdint.h>
#include <stdlib.h>

struct node {
    int64_t next;
    int value;
};

static struct node *arena;

__attribute__((noinline)) static struct node *follow(const struct node *node) {
    return (struct node *)((char *)arena + node->next);
}

__attribute__((noinline)) static int value(const struct node *node) {
    return node->value;
}

int main(void) {
    arena = calloc(4, sizeof *arena);
    arena[0].next = 2 * sizeof *arena;
    arena[2].value = 7;
    int v = value(follow(arena));
    free(arena);
    return v != 7;
}
