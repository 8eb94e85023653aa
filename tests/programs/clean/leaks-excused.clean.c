// Blocks that are reachable at the end of main: from globals, interior pointers, other blocks, a
// stack and registers of a waiting thread.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct tree {
    struct tree *child[2];
    char *name;
};

static struct tree *root;
static char *middle;
static void **table;
static pthread_barrier_t ready;

__attribute__((noinline)) static struct tree *grow(int depth) {
    struct tree *t = calloc(1, sizeof *t);
    t->name = malloc(depth + 1);
    if (depth)
        for (int i = 0; i < 2; i++)
            t->child[i] = grow(depth - 1);
    return t;
}

static void *waiting(void *unused) {
    char *volatile mine = malloc(70);
    mine[0] = 1;
    pthread_barrier_wait(&ready);
    for (;;)
        pause();
    return mine;
}

__attribute__((noinline)) static void fill(void) {
    root = grow(5);
    middle = (char *)malloc(1000) + 500;
    table = malloc(100 * sizeof *table);
    for (int i = 0; i < 100; i++)
        table[i] = (char *)malloc(i + 10) + i % 10;
}

int main(void) {
    fill();
    pthread_t thread;
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&thread, NULL, waiting, NULL);
    pthread_barrier_wait(&ready);
    return 0;
}
