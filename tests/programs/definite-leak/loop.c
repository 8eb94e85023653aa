// A loop loses a block in each of its hundred rounds.
#include <stdlib.h>

__attribute__((noinline)) static int round_of(int i) {
    int *p = malloc(12); // EXPECT definite-leak block 12 count 100 bytes 1200
    p[0] = i;
    int v = p[0];
    return v;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += round_of(i);
    return sum != 4950;
}
