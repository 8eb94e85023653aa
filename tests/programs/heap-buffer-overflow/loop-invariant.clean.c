// A loop writes the last place of the block in each of its rounds.
#include <stdlib.h>

static void set(char *p, int i) {
    p[i] = 1;
}

int main(void) {
    char *p = malloc(10);
    for (int i = 0; i < 3; i++)
        set(p, 9);
    int v = p[9];
    free(p);
    return v == 99;
}
