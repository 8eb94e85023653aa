// A function pointer is taken from an object before free.
#include <stdlib.h>

struct object {
    long data[3];
    int (*method)(int);
};

static int twice(int x) {
    return 2 * x;
}

int main(void) {
    struct object *o = malloc(sizeof *o);
    o->method = twice;

    int v = o->method(21);
    free(o);
    return v != 42;
}
