// Threads fill and empty tables of blocks for about a second; then an entry that was freed is read.
// RUN: cflags -pthread
// RUN: ldflags -pthread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, SLOTS = 512, ROUNDS = 150000 };

static unsigned next(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }

static void *work(void *argument) {
    unsigned state = *(unsigned *)argument;
    char *slots[SLOTS] = {NULL};
    unsigned long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned at = next(&state) % SLOTS, size = next(&state) >> 8;
        free(slots[at]);
        slots[at] = malloc(size % 5 ? size % 200 + 1 : size % 20000 + 1);
        if (!slots[at]) continue;
        slots[at][0] = (char)round;
        sum += (unsigned char)slots[at][0];
    }
    for (int at = 0; at < SLOTS; at++) free(slots[at]);
    *(unsigned *)argument = (unsigned)sum;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    int started = 0;
    for (; started < THREADS; started++) {
        seeds[started] = (unsigned)started;
        if (pthread_create(&threads[started], NULL, work, &seeds[started])) break;
    }
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    unsigned *last = malloc(sizeof *last); // ALLOC
    if (!last) return 1;
    *last = seeds[0];
    free(last); // FREE
    printf("%s\n", *last == 0 ? "nothing" : "done"); // EXPECT dangling-pointer-dereference read 4 block 4 inside 0
    return 0;
}
