// A structure is copied from the null pointer.
#include <stdlib.h>

struct limits {
    long low, high, step;
};

static struct limits get(const struct limits *given) {
    struct limits l = {0, 10, 1};
        l = *given; // EXPECT null-pointer-dereference read 24 address 0
    return l;
}

int main(void) {
    return get(NULL).high != 10;
}
