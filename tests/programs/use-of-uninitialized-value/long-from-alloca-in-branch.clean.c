// Several bytes from alloca in a branch are written and read.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>
#include <stdio.h>

static int yes(void) {
    return 1;
}

static void show(long c) {
    printf("%ld\n", c);
}

static void work(void) {
    if (yes()) {
        long *pointer = alloca(sizeof(long));
        *pointer = 7;
        long data = *pointer;
        show(data);
    }
}

int main(void) {
    work();
    return 0;
}
