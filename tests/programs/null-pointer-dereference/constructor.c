// A constructor that runs first uses what a constructor that runs later sets.
#include <stdlib.h>

static int value;
static int *registry;

__attribute__((constructor(300))) static void set(void) {
    registry = &value;
}

__attribute__((constructor(200))) static void use(void) {
    *registry = 7; // EXPECT null-pointer-dereference write 4 address 0
}

int main(void) {
    return value != 7;
}
