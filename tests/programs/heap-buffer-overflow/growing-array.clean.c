// An array grows in steps, and the test whether it is full comes in time.
#include <stdlib.h>

struct array {
    int *item;
    int used, room;
};

static void push(struct array *a, int x) {
    if (a->used >= a->room) {
        a->room = a->room ? 2 * a->room : 4;
        a->item = realloc(a->item, a->room * sizeof *a->item);
    }
    a->item[a->used++] = x;
}

int main(void) {
    struct array a = {0};
    a.room = 0;
    a.item = NULL;
    for (int i = 0; i < 1000; i++)
        push(&a, i);
    int ok = a.item[999] == 999;
    free(a.item);
    return !ok;
}
