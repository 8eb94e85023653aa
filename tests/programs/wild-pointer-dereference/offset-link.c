// Links are offsets from the begin of an arena; one of them was written over.
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
    return node->value; // EXPECT wild-pointer-dereference read 4 block none
}

int main(void) {
    arena = calloc(4, sizeof *arena);
    arena[0].next = 0x41414;
    arena[2].value = 7;
    int v = value(follow(arena));
    free(arena);
    return v != 7;
}
