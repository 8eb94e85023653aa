// A loop reads through a null pointer in none of its rounds.
#include <stdlib.h>

__attribute__((noinline)) static int total(const int *step, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += *step;
    return sum;
}

int main(void) {
    return total(NULL, 0);
}
