// A function pointer is taken from an object after free.
#include <stdlib.h>

struct object {
    long data[3];
    int (*method)(int);
};

static int twice(int x) {
    return 2 * x;
}

int main(void) {
    struct object *o = malloc(sizeof *o); // ALLOC
    o->method = twice;
    free(o); // FREE
    int v = o->method(21); // EXPECT dangling-pointer-dereference read 8 block 32 inside 24
    return v != 42;
}
