// A recursive descent counts its depth into an array that is one level too short.
#include <stdlib.h>

static void descend(int *path, int depth, int limit) {
    path[depth] = depth; // EXPECT heap-buffer-overflow write 4 block 48 after 0
    if (depth < limit)
        descend(path, depth + 1, limit);
}

int main(void) {
    int *path = malloc(12 * sizeof *path); // ALLOC
    descend(path, 0, 12);
    free(path);
    return 0;
}
