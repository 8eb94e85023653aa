// A callback given as a function pointer fills the block that its context points to.
#include <stdlib.h>

struct context {
    int *out;
    int n;
};

static void visit(int value, void *opaque) {
    struct context *c = opaque;
    c->out[c->n++] = value;
}

static void each(int n, void (*f)(int, void *), void *opaque) {
    for (int i = 0; i < n; i++)
        f(i, opaque);
}

int main(void) {
    struct context c = {malloc(5 * sizeof(int)), 0};
    each(5, visit, &c);
    free(c.out);
    return 0;
}
