// A function that gets no pointer frees a block through a global; the caller has the pointer in a
// register.
#include <stdlib.h>

static int *shared;

__attribute__((noinline)) static void tick(void) {
    free(shared); // FREE
}

__attribute__((noinline)) static int twice(int *p) {
    int a = *p;
    tick();
    return a + *p; // EXPECT dangling-pointer-dereference read 4 block 4 inside 0
}

int main(void) {
    shared = malloc(sizeof *shared); // ALLOC
    *shared = 1;
    int v = twice(shared);
    return v != 1;
}
