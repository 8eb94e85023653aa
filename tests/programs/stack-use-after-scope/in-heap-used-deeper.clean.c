// A node in the heap has its values in it.
#include <stdlib.h>

struct node {
    struct node *next;
    int values[4];
};

__attribute__((noinline)) static int sum(const int *of, int count) {
    int parts[16] = {0};
    for (int i = 0; i < count; i++)
        parts[i & 15] += of[i];
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += parts[i];
    return all;
}

__attribute__((noinline)) static struct node *prepend(struct node *list, int value) {
    int values[4] = {value, value + 1, value + 2, value + 3};
    struct node *made = malloc(sizeof *made);
    made->next = list;
    for (int i = 0; i < 4; i++)
        made->values[i] = values[i];
    return made;
}

int main(int argc, char **argv) {
    (void)argv;
    struct node *list = prepend(prepend(NULL, argc), argc + 4);
    int all = sum(list->values, 4) + sum(list->next->values, 4);
    free(list->next);
    free(list);
    return all == 1;
}
