// A loop reads the same place of a freed block in each of its rounds: an optimiser moves the load
// out of the loop.
#include <stdlib.h>

__attribute__((noinline)) static long total(const long *step, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += *step; // EXPECT dangling-pointer-dereference read 8 block 8 inside 0
    return sum;
}

int main(void) {
    long *step = malloc(sizeof *step); // ALLOC
    *step = 2;
    free(step); // FREE
    long sum = total(step, 21);
    return sum == 99;
}
