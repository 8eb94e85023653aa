// An atomic increment through a pointer to a global.
#include <stdlib.h>

static long total;

static void count(long *p) {
    __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}

int main(void) {
    count(&total);
    count(&total);
    return total != 2;
}
