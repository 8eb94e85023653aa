// A structure is freed and the block that only it pointed to is not.
#include <stdlib.h>

struct owner {
    int n;
    char *data;
};

__attribute__((noinline)) static struct owner *create(int n) {
    struct owner *o = malloc(sizeof *o);
    o->n = n;
    o->data = calloc(n, 1); // EXPECT definite-leak block 51 count 1 bytes 51
    return o;
}

__attribute__((noinline)) static void destroy(struct owner *o) {
    free(o);
}

int main(void) {
    destroy(create(51));
    return 0;
}
