// A recursive descent counts its depth into an array that is just deep enough.
#include <stdlib.h>

static void descend(int *path, int depth, int limit) {
    path[depth] = depth;
    if (depth < limit)
        descend(path, depth + 1, limit);
}

int main(void) {
    int *path = malloc(12 * sizeof *path);
    descend(path, 0, 11);
    free(path);
    return 0;
}
