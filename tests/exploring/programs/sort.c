/* Bubble sort of five ints: a path for each of the 120 orders, and the result is in order. */
#include <klee/klee.h>
#include <stdlib.h>

#define COUNT 5

volatile int swaps;

int main(void) {
    int a[COUNT];
    klee_make_symbolic(a, sizeof a, "a");
    for (int end = COUNT - 1; end > 0; end--)
        for (int i = 0; i < end; i++)
            if (a[i] > a[i + 1]) {
                int greater = a[i];
                a[i] = a[i + 1];
                a[i + 1] = greater;
                swaps++;
            }
    return 0;
}
