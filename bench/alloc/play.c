/* Makes the requests of a trace, with the allocator that is there and as many threads as the program had:
 * play TRACE ROUNDS. Of each block the first bytes are written, as a program would. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trace.h"

#define TOUCHED 128u
#define PATIENCE 100u

static const struct trace *trace;
static struct block {
    char *begin;
    uint32_t turn;
} *blocks;

static void touch(char *block, uint32_t size) {
    if (block) memset(block, 1, size < TOUCHED ? size : TOUCHED);
}

/* Waits for what other threads did before with this block. */
static void wait_for(const struct block *block, uint32_t turn) {
    for (unsigned tries = 0; __atomic_load_n(&block->turn, __ATOMIC_ACQUIRE) != turn; tries++)
        if (tries > PATIENCE) usleep(20);
}

static void *play(void *argument) {
    size_t self = (size_t)argument;
    for (size_t i = 0; i < trace->counts[self]; i++) {
        const struct event *event = &trace->events[self][i];
        struct block *block = &blocks[event->number & ~TRACE_REALLOC];
        wait_for(block, event->turn);
        if (event->size == TRACE_FREE) {
            free(block->begin);
            block->begin = NULL;
        } else {
            int again = (event->number & TRACE_REALLOC) != 0;
            block->begin = again ? realloc(block->begin, event->size) : malloc(event->size);
            touch(block->begin, event->size);
        }
        __atomic_store_n(&block->turn, event->turn + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void play_all(void) {
    pthread_t threads[TRACE_THREADS];
    for (size_t i = 1; i < trace->threads; i++)
        if (pthread_create(&threads[i], NULL, play, (void *)i)) abort();
    play((void *)0);
    for (size_t i = 1; i < trace->threads; i++) pthread_join(threads[i], NULL);
    for (size_t i = 0; i < trace->numbers; i++) {
        free(blocks[i].begin);
        blocks[i] = (struct block){0};
    }
}

int main(int argc, char **argv) {
    int file = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0) return 2;
    trace = mmap(NULL, sizeof *trace, PROT_READ, MAP_PRIVATE, file, 0);
    if (trace == MAP_FAILED || !trace->numbers) return 2;
    blocks = mmap(NULL, trace->numbers * sizeof *blocks, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (blocks == MAP_FAILED) return 2;
    size_t events = 0;
    for (size_t i = 0; i < trace->threads; i++) events += trace->counts[i];
    for (int round = 0; round < atoi(argv[2]); round++) play_all();
    printf("%zu\n", events * (size_t)atoi(argv[2]));
    return 0;
}
