/* Makes the requests of a trace, with the allocator that is there: play TRACE ROUNDS. Of each block
 * the first bytes are written, as a program would. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "trace.h"

#define TOUCHED 128u

static void touch(char *block, uint32_t size) {
    if (block) memset(block, 1, size < TOUCHED ? size : TOUCHED);
}

static void play(const struct event *events, size_t count, char **blocks, size_t most) {
    for (size_t i = 0; i < count; i++) {
        uint32_t number = events[i].number & ~TRACE_REALLOC, size = events[i].size;
        if (size == TRACE_FREE) {
            free(blocks[number]);
            blocks[number] = NULL;
        } else {
            int again = (events[i].number & TRACE_REALLOC) != 0;
            blocks[number] = again ? realloc(blocks[number], size) : malloc(size);
            touch(blocks[number], size);
        }
    }
    for (size_t i = 0; i < most; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

int main(int argc, char **argv) {
    int file = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    struct stat status;
    if (file < 0 || fstat(file, &status)) return 2;
    const struct trace *trace = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (trace == MAP_FAILED || !trace->count) return 2;
    const struct event *events = trace->events;
    size_t count = trace->count, most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t number = (events[i].number & ~TRACE_REALLOC) + 1ul;
        if (number > most) most = number;
    }
    char **blocks = mmap(NULL, most * sizeof *blocks, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (blocks == MAP_FAILED) return 2;
    for (int round = 0; round < atoi(argv[2]); round++) play(events, count, blocks, most);
    printf("%zu\n", count * (size_t)atoi(argv[2]));
    return 0;
}
