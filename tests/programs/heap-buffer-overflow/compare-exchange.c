// A compare-and-exchange on the eight bytes before a block.
#include <stdatomic.h>
#include <stdlib.h>

static int take(_Atomic long *slot) {
    long expected = 0;
    return atomic_compare_exchange_strong(slot, &expected, 1); // EXPECT heap-buffer-overflow write 8 block 24 before 8
}

int main(void) {
    _Atomic long *slots = calloc(3, sizeof *slots); // ALLOC
    take(slots + 2);
    take(slots - 1);
    free(slots);
    return 0;
}
