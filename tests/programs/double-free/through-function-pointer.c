// Both frees go through function pointers.
#include <stdlib.h>

static void (*const release[])(void *) = {free, free};

int main(int argc, char **argv) {
    void *p = malloc(65); // ALLOC
    void (*volatile drop)(void *) = free;
    drop(p); // FREE
    release[argc & 1](p); // EXPECT double-free block 65 inside 0
    return 0;
}
