/* A sorting network of five ints: nine comparisons that are the same for every input. Where values are
 * equal they are no order, so there are more than 120 paths: 130. */
#include <klee/klee.h>
#include <stdlib.h>

#define COUNT 5
#define COMPARATORS (sizeof network / sizeof *network)

static const struct {
    int low, high;
} network[] = {{0, 3}, {1, 4}, {0, 2}, {1, 3}, {0, 1}, {2, 4}, {1, 2}, {3, 4}, {2, 3}};

volatile int swaps;

int main(void) {
    int a[COUNT];
    klee_make_symbolic(a, sizeof a, "a");
    for (unsigned i = 0; i < COMPARATORS; i++) {
        int low = network[i].low, high = network[i].high;
        if (a[low] > a[high]) {
            int greater = a[low];
            a[low] = a[high];
            a[high] = greater;
            swaps++;
        }
    }
    return 0;
}
