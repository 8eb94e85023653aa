// A structure is copied out of a block after free.
#include <stdlib.h>

struct point {
    double x, y, z;
};

static struct point take(const struct point *from) {
    return *from; // EXPECT dangling-pointer-dereference read 24 block 24 inside 0
}

int main(void) {
    struct point *p = calloc(1, sizeof *p); // ALLOC
    free(p); // FREE
    struct point q = take(p);
    return q.x == 99;
}
