// The result of realpath is as long as the path, and no longer.
// RUN: env LC_ALL=C
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *path = realpath("/usr/..", NULL); // ALLOC
    if (!path)
        return 1;
    strcat(path, "usr"); // EXPECT heap-buffer-overflow write 4 block 2 after 0 in strcat
    free(path);
    return 0;
}
