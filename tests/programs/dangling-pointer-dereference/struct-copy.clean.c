// A structure is copied out of a block before free.
#include <stdlib.h>

struct point {
    double x, y, z;
};

static struct point take(const struct point *from) {
    return *from;
}

int main(void) {
    struct point *p = calloc(1, sizeof *p);

    struct point q = take(p);
    free(p);
    return q.x == 99;
}
