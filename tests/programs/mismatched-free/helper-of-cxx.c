// A library in C++ returns what its operator new allocated, and the program in C frees it with free.
// RUN: ldflags -lstdc++
#include <stdlib.h>

void *operator_new(size_t size) __asm__("_Znwm");
void operator_delete(void *object) __asm__("_ZdlPv");

struct shape {
    int kind, sides;
};

static struct shape *shape_make(int sides) {
    struct shape *shape = operator_new(sizeof *shape); // ALLOC
    shape->sides = sides;
    return shape;
}

int main(void) {
    struct shape *shape = shape_make(3);
    int sides = shape->sides;
    free(shape); // EXPECT mismatched-free block 8 inside 0
    return sides != 3;
}
