// Mappings whose last bytes cannot be read: of an empty file, and without permissions. Nobody reads them.
// RUN: options --enable use-of-uninitialized-value
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *map(int file, size_t size, int protection) {
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    char *result = mmap(NULL, size, protection, flags, file, 0);
    if (result == MAP_FAILED) abort();
    return result;
}

int main(void) {
    int file = memfd_create("empty", 0);
    char *empty = map(file, 1, PROT_READ | PROT_WRITE);
    char *closed = map(-1, 13, PROT_NONE);
    if (munmap(empty, 1) || munmap(closed, 13)) return 1;
    if (ftruncate(file, 5000)) return 2;
    char *part = map(file, 5000, PROT_READ | PROT_WRITE);
    memset(part, 7, 5000);
    part = mremap(part, 5000, 12001, MREMAP_MAYMOVE);
    if (part == MAP_FAILED) return 3;
    printf("%d\n", part[4999]);
    return munmap(part, 12001);
}
