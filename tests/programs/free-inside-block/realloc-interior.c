// realloc of a pointer to the second field of a block.
#include <stdlib.h>

struct pair {
    int first[4];
    int second[4];
};

int main(void) {
    struct pair *p = calloc(1, sizeof *p); // ALLOC
    int *q = realloc(p->second, 64); // EXPECT free-inside-block block 32 inside 16
    free(q);
    return 0;
}
