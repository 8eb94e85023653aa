// A free through a function pointer, and one through a pointer in a table.
#include <stdlib.h>

static void (*const release[])(void *) = {free, free};

int main(int argc, char **argv) {
    void *p = malloc(65);
    void (*volatile drop)(void *) = free;
    drop(p);
    p = malloc(65);
    release[argc & 1](p);
    return 0;
}
