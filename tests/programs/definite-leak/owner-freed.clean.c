// A structure is freed after the block that only it pointed to.
#include <stdlib.h>

struct owner {
    int n;
    char *data;
};

__attribute__((noinline)) static struct owner *create(int n) {
    struct owner *o = malloc(sizeof *o);
    o->n = n;
    o->data = calloc(n, 1);
    return o;
}

__attribute__((noinline)) static void destroy(struct owner *o) {
    free(o->data);
    free(o);
}

int main(void) {
    destroy(create(51));
    return 0;
}
