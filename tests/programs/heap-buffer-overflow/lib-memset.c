// memset is given the size of the elements times one too many.
#include <stdlib.h>
#include <string.h>

static void clear(short *a, int n) {
    memset(a, 0, n * sizeof *a); // EXPECT heap-buffer-overflow write 62 block 60 after 0
}

int main(void) {
    short *a = malloc(30 * sizeof *a); // ALLOC
    clear(a, 31);
    free(a);
    return 0;
}
