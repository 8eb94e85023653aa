// An array grows in steps, and the test whether it is full comes one element late.
#include <stdlib.h>

struct array {
    int *item;
    int used, room;
};

static void push(struct array *a, int x) {
    if (a->used > a->room) {
        a->room = a->room ? 2 * a->room : 4;
        a->item = realloc(a->item, a->room * sizeof *a->item); // ALLOC
    }
    a->item[a->used++] = x; // EXPECT heap-buffer-overflow write 4 block 16 after 0
}

int main(void) {
    struct array a = {0};
    a.room = 4;
    a.item = malloc(4 * sizeof *a.item); // ALLOC
    for (int i = 0; i < 1000; i++)
        push(&a, i);
    int ok = a.item[999] == 999;
    free(a.item);
    return !ok;
}
