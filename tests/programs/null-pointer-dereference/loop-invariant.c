// A loop reads through a null pointer in each of its rounds: an optimiser moves the load out of the
// loop.
#include <stdlib.h>

__attribute__((noinline)) static int total(const int *step, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += *step; // EXPECT null-pointer-dereference read 4 address 0
    return sum;
}

int main(void) {
    return total(NULL, 5);
}
