// An atomic addition to the last element.
#include <stdlib.h>

int main(void) {
    int *counter = calloc(4, sizeof *counter);
    for (int i = 0; i < 4; i++)
        __atomic_fetch_add(&counter[i], 1, __ATOMIC_SEQ_CST);
    free(counter);
    return 0;
}
