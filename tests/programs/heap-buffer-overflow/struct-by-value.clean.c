// Passes a structure by value from a block of its size.
#include <stdlib.h>
#include <string.h>

struct big {
    int v[16];
};

static int last(struct big b) {
    return b.v[15];
}

int main(void) {
    struct big *b = malloc(sizeof *b - 0);
    memset(b, 0, sizeof *b - sizeof(int));
    int v = last(*b);
    free(b);
    return v == 1;
}
