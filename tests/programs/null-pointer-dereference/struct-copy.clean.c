// A structure is copied from the null pointer only if it is not null.
#include <stdlib.h>

struct limits {
    long low, high, step;
};

static struct limits get(const struct limits *given) {
    struct limits l = {0, 10, 1};
    if (given)
        l = *given;
    return l;
}

int main(void) {
    return get(NULL).high != 10;
}
