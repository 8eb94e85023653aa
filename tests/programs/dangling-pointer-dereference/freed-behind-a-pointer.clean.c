// A function that gets no pointer clears a block through a global.
#include <stdlib.h>

static int *shared;

__attribute__((noinline)) static void tick(void) {
    *shared = 0;
}

__attribute__((noinline)) static int twice(int *p) {
    int a = *p;
    tick();
    return a + *p;
}

int main(void) {
    shared = malloc(sizeof *shared);
    *shared = 1;
    int v = twice(shared);
    free(shared);
    return v != 1;
}
