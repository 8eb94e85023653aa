// A store out of bounds that the next store to the same place makes dead.
#include <stdlib.h>

static void twice(char *p, int i) {
    p[i] = 1; // EXPECT heap-buffer-overflow write 1 block 9 after 0
    p[i] = 2;
}

int main(void) {
    char *p = malloc(9); // ALLOC
    twice(p, 9);
    int v = p[8];
    free(p);
    return v == 99;
}
