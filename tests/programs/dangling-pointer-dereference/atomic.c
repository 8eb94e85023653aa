// A reference count is decremented once more after the object was freed.
#include <stdlib.h>

struct object {
    char name[12];
    int references;
};

static void release(struct object *o) {
    if (__atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) == 0) // EXPECT dangling-pointer-dereference write 4 block 16 inside 12
        free(o); // FREE
}

int main(void) {
    struct object *o = calloc(1, sizeof *o); // ALLOC
    o->references = 2;
    release(o);
    release(o);
    release(o);
    return 0;
}
