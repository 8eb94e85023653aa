// A kind that was never set decides between cases.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <string.h>

enum kind { SMALL, LARGE, OTHER };

struct thing {
    long size;
    enum kind kind;
};

__attribute__((noinline)) static struct thing make(long size) {
    struct thing thing; // BORN
    thing.size = size;
    if (size > 10)
        thing.kind = LARGE;
    return thing;
}

int main(int argc, char **argv) {
    (void)argv;
    struct thing thing = make(argc);
    switch (thing.kind) { // EXPECT use-of-uninitialized-value use branch
    case SMALL: puts("small"); break;
    case LARGE: puts("large"); break;
    case OTHER: puts("other"); break;
    }
    return 0;
}
