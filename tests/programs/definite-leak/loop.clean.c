// A loop frees the block of each of its hundred rounds.
#include <stdlib.h>

__attribute__((noinline)) static int round_of(int i) {
    int *p = malloc(12);
    p[0] = i;
    int v = p[0];
    free(p);
    return v;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += round_of(i);
    return sum != 4950;
}
