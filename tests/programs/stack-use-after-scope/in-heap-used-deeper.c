// A node in the heap is given the address of a variable that is gone when the list is read.
#include <stdlib.h>

struct node {
    struct node *next;
    const int *values;
};

__attribute__((noinline)) static int sum(const int *of, int count) {
    int parts[16] = {0};
    for (int i = 0; i < count; i++)
        parts[i & 15] += of[i];  // EXPECT stack-use-after-scope read 4 block 16 inside 0
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += parts[i];
    return all;
}

__attribute__((noinline)) static struct node *prepend(struct node *list, int value) {
    int values[4] = {value, value + 1, value + 2, value + 3};
    struct node *made = malloc(sizeof *made);
    made->next = list;
    made->values = values;
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
