// Memory from alloca in a branch is written and read.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>
#include <stdio.h>

static int yes(void) {
    return 1;
}

static void show(char c) {
    printf("%02x\n", c);
}

static void work(void) {
    if (yes()) {
        char *pointer = alloca(sizeof(char));
        *pointer = 'w';
        char data = *pointer;
        show(data);
    }
}

int main(void) {
    work();
    return 0;
}
