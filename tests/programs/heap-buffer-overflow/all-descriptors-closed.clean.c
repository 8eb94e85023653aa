// A program that has closed all its descriptors writes into a block.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    for (int descriptor = 0; descriptor < 4096; descriptor++)
        close(descriptor);
    if (open("/", O_RDONLY) != 0) // nobody else has opened one since
        return 1;
    char *p = malloc(9);
    p[8] = 1;
    free(p);
    return 0;
}
