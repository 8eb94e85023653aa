// container_of goes from a list link back to the structure that holds it, and intrusive lists mix
// heap, stack and global nodes.
#include <stddef.h>
#include <stdlib.h>

#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

struct link {
    struct link *next, *previous;
};

struct item {
    char name[13];
    int value;
    struct link link;
};

static struct link list = {&list, &list};

__attribute__((noinline)) static void insert(struct link *l) {
    l->next = list.next;
    l->previous = &list;
    list.next->previous = l;
    list.next = l;
}

__attribute__((noinline)) static int sum(void) {
    int s = 0;
    for (struct link *l = list.next; l != &list; l = l->next)
        s += container_of(l, struct item, link)->value;
    return s;
}

int main(void) {
    static struct item in_global = {"global", 1};
    struct item on_stack = {"stack", 10};
    insert(&in_global.link);
    insert(&on_stack.link);
    struct item *heap[5];
    for (int i = 0; i < 5; i++) {
        heap[i] = calloc(1, sizeof *heap[i]);
        heap[i]->value = 100;
        insert(&heap[i]->link);
    }
    int ok = sum() == 511;
    for (int i = 0; i < 5; i++)
        free(heap[i]);
    return !ok;
}
