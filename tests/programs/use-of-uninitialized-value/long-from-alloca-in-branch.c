// Several bytes from alloca in a branch are read before they are written.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>
#include <stdio.h>

static int yes(void) {
    return 1;
}

static void show(long c) {
    printf("%ld\n", c); // EXPECT use-of-uninitialized-value use argument
}

static void work(void) {
    if (yes()) {
        long *pointer = alloca(sizeof(long)); // BORN
        long data = *pointer;
        show(data);
    }
}

int main(void) {
    work();
    return 0;
}
