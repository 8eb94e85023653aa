// The pointer is one of two blocks, chosen at run time; the shorter one is overrun.
#include <stdlib.h>

int main(int argc, char **argv) {
    char *shorter = calloc(1, 20); // ALLOC
    char *longer = calloc(1, 40);
    char *p = argc > 0 ? shorter : longer;
    p[30] = 1; // EXPECT heap-buffer-overflow write 1 block 20 after 10
    free(shorter);
    free(longer);
    return 0;
}
