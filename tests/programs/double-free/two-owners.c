// Two structures share a string and both free it.
#include <stdlib.h>
#include <string.h>

struct item {
    int id;
    char *name;
};

static void destroy(struct item *i) {
    free(i->name); // FREE EXPECT double-free block 7 inside 0
    free(i);
}

int main(void) {
    struct item *a = malloc(sizeof *a);
    struct item *b = malloc(sizeof *b);
    a->name = strdup("shared"); // ALLOC
    b->name = a->name;
    destroy(a);
    destroy(b);
    return 0;
}
