// A program that has closed all its descriptors writes behind a block.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    for (int descriptor = 0; descriptor < 4096; descriptor++)
        close(descriptor);
    if (open("/", O_RDONLY) != 0) // nobody else has opened one since
        return 1;
    char *p = malloc(9); // ALLOC
    p[9] = 1; // EXPECT heap-buffer-overflow write 1 block 9 after 0
    free(p);
    return 0;
}
