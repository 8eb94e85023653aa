// realloc of a pointer to the first field of a block.
#include <stdlib.h>

struct pair {
    int first[4];
    int second[4];
};

int main(void) {
    struct pair *p = calloc(1, sizeof *p);
    int *q = realloc(p->first, 64);
    free(q);
    return 0;
}
