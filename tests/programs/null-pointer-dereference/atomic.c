// An atomic increment through the null pointer.
#include <stdlib.h>

static long total;

static void count(long *p) {
    __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); // EXPECT null-pointer-dereference write 8 address 0
}

int main(void) {
    count(&total);
    count(NULL);
    return total != 2;
}
