// Return addresses are stored in a block that is freed later.
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    void **frames = malloc(16 * sizeof *frames);
    if (backtrace(frames, 16) < 1)
        return 1;
    int count = backtrace(frames, 1);
    free(frames);
    return count != 1;
}
