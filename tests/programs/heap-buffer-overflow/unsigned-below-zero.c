// The element before a[i], with an index that is unsigned and 0, is four gigabytes away.
#include <stdlib.h>

int main(int argc, char **argv) {
    char *a = calloc(32, 1); // ALLOC
    unsigned i = (unsigned)argc - 1;
    a[i] = 1;
    a[i - 1] = 2; // EXPECT heap-buffer-overflow write 1 block 32
    free(a);
    return 0;
}
