// A function frees the block that its caller has checked before the call and uses again after it.
#include <stdlib.h>

struct session {
    int state;
    int errors;
};

__attribute__((noinline)) static void fail(struct session *s) {
    free(s); // FREE
}

__attribute__((noinline)) static int step(struct session *s) {
    if (s->errors++ == 0)
        fail(s);
    return s->errors; // EXPECT dangling-pointer-dereference read 4 block 8 inside 4
}

int main(void) {
    struct session *s = calloc(1, sizeof *s); // ALLOC
    int v = step(s);
    return v != 0;
}
