// An array whose indices begin elsewhere is kept as a pointer before its block, which may be the
// begin of another block by chance.
#include <stdlib.h>

#define N 200

static short *map;
static short *blocks[N];

__attribute__((noinline)) static void make(short *base, short low) {
    map = base - low;
}

__attribute__((noinline)) static short *moved(short *base, int low) {
    return base - low;
}

__attribute__((noinline)) static void count(short from, short to) {
    for (short at = from; at < to; at++)
        map[at]++;
}

int main(void) {
    int sum = 0;
    for (short low = 0; low < N; low++) {
        short *base = blocks[low] = calloc(12, sizeof(short));
        make(base, low);
        count(low, low + 12);
        short *counted = moved(base, low);
        sum += counted[low] + counted[low + 11];
    }
    for (int i = 0; i < N; i++)
        free(blocks[i]);
    return sum != 2 * N;
}
