// A reference count is decremented to zero once, by the owner who frees.
#include <stdlib.h>

struct object {
    char name[12];
    int references;
};

static void release(struct object *o) {
    if (__atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(o);
}

int main(void) {
    struct object *o = calloc(1, sizeof *o);
    o->references = 3;
    release(o);
    release(o);
    release(o);
    return 0;
}
