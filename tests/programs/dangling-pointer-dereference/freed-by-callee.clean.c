// A function resets the block that its caller has checked before the call and uses again after it.
#include <stdlib.h>

struct session {
    int state;
    int errors;
};

__attribute__((noinline)) static void fail(struct session *s) {
    s->errors = 0;
}

__attribute__((noinline)) static int step(struct session *s) {
    if (s->errors++ == 0)
        fail(s);
    return s->errors;
}

int main(void) {
    struct session *s = calloc(1, sizeof *s);
    int v = step(s);
    free(s);
    return v != 0;
}
