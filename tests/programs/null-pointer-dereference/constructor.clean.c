// A constructor that runs later uses what a constructor that runs first sets.
#include <stdlib.h>

static int value;
static int *registry;

__attribute__((constructor(200))) static void set(void) {
    registry = &value;
}

__attribute__((constructor(300))) static void use(void) {
    *registry = 7;
}

int main(void) {
    return value != 7;
}
