// A structure is copied from a block of its size to a variable that is never used.
#include <stdlib.h>

struct record {
    long key;
    char name[20];
};

int main(void) {
    struct record *r = calloc(1, sizeof *r);
    struct record unused = *r;
    (void)unused;
    free(r);
    return 0;
}
