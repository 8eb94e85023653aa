// Return addresses are stored in a block that is already freed.
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    void **frames = malloc(16 * sizeof *frames); // ALLOC
    if (backtrace(frames, 16) < 1)
        return 1;
    free(frames); // FREE
    int count = backtrace(frames, 1); // EXPECT dangling-pointer-dereference write 8
    return count != 1;
}
