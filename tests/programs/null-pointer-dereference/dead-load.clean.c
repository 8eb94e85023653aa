// A load through a pointer, not null, whose value is never used.
#include <stdlib.h>

static void touch(const long *p) {
    long unused = *p;
    (void)unused;
}

int main(void) {
    long x = 3;
    touch(&x);
    return 0;
}
