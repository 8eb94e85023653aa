// Two structures have a copy of a string each and free it.
#include <stdlib.h>
#include <string.h>

struct item {
    int id;
    char *name;
};

static void destroy(struct item *i) {
    free(i->name);
    free(i);
}

int main(void) {
    struct item *a = malloc(sizeof *a);
    struct item *b = malloc(sizeof *b);
    a->name = strdup("shared");
    b->name = strdup(a->name);
    destroy(a);
    destroy(b);
    return 0;
}
