// A size in megabytes is multiplied twice: the array on the stack is filled far beyond its end.
#include <stdlib.h>
#include <string.h>

static int clear(size_t megabytes) {
    char scratch[1024];
    memset(scratch, 0, megabytes << 20 << 10); // EXPECT stack-buffer-overflow write 1073741824 block 1024 inside 0 in memset
    return scratch[100];
}

int main(int argc, char **argv) {
    (void)argv;
    return clear((size_t)argc);
}
