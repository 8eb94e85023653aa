// An overrun after thousands of allocations and frees of the same size, when every slot has been
// used before.
#include <stdlib.h>

int main(void) {
    char *p = NULL;
    for (int i = 0; i < 5000; i++) {
        free(p);
        p = malloc(45); // ALLOC
        for (int j = 0; j < 45; j++)
            p[j] = (char)j;
    }
    p[45] = 0; // EXPECT heap-buffer-overflow write 1 block 45 after 0
    free(p);
    return 0;
}
