// Assigns a whole structure to a block of just its size.
#include <stdlib.h>

struct record {
    long key;
    char name[24];
    int flags[2];
};

static struct record pattern = {1, "pattern", {2, 3}};

int main(void) {
    struct record *r = malloc(sizeof *r);
    *r = pattern;
    free(r);
    return 0;
}
