// Blocks are held from mappings that end behind their files, in pages that the files still have.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 65536

static char **map(int length, int flags) {
    int file = memfd_create("data", 0);
    if (file < 0 || ftruncate(file, SIZE))
        exit(1);
    char **mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, file, 0);
    if (mapped == MAP_FAILED)
        exit(1);
    for (int i = 0; i < SIZE / (int)sizeof *mapped; i += 512)
        mapped[i] = "written";
    if (ftruncate(file, length))
        exit(1);
    return mapped;
}

static char **volatile maps[4];

int main(void) {
    maps[0] = map(0, MAP_PRIVATE);
    maps[1] = map(0, MAP_SHARED);
    maps[2] = map(8192, MAP_PRIVATE);
    maps[3] = map(8192, MAP_SHARED);
    for (int i = 2; i < 4; i++) {
        char *block = malloc(20 + i);
        block[0] = 1;
        maps[i][1000] = block;
    }
    return 0;
}
