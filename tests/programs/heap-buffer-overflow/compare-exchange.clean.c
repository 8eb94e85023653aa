// A compare-and-exchange on the first eight bytes of a block.
#include <stdatomic.h>
#include <stdlib.h>

static int take(_Atomic long *slot) {
    long expected = 0;
    return atomic_compare_exchange_strong(slot, &expected, 1);
}

int main(void) {
    _Atomic long *slots = calloc(3, sizeof *slots);
    take(slots + 2);
    take(slots + 0);
    free(slots);
    return 0;
}
