// A loop reads the same place of a live block in each of its rounds.
#include <stdlib.h>

__attribute__((noinline)) static long total(const long *step, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += *step;
    return sum;
}

int main(void) {
    long *step = malloc(sizeof *step);
    *step = 2;

    long sum = total(step, 21);
    free(step);
    return sum != 42;
}
