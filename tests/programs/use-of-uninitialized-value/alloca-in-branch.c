// Memory from alloca in a branch is read before it is written.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>
#include <stdio.h>

static int yes(void) {
    return 1;
}

static void show(char c) {
    printf("%02x\n", c); // EXPECT use-of-uninitialized-value use argument
}

static void work(void) {
    if (yes()) {
        char *pointer = alloca(sizeof(char)); // BORN
        char data = *pointer;
        show(data);
    }
}

int main(void) {
    work();
    return 0;
}
