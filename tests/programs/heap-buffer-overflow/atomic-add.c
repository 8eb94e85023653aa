// An atomic addition to the element after the last.
#include <stdlib.h>

int main(void) {
    int *counter = calloc(4, sizeof *counter); // ALLOC
    for (int i = 0; i <= 4; i++)
        __atomic_fetch_add(&counter[i], 1, __ATOMIC_SEQ_CST); // EXPECT heap-buffer-overflow write 4 block 16 after 0
    free(counter);
    return 0;
}
