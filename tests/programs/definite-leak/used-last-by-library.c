// The last function that is given a block is of the C library, in the main thread and in one that waits.
// RUN: cflags -pthread
// RUN: options --locate always
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

static volatile int ready;

__attribute__((noinline)) static void lose_text(void) {
    char *text = malloc(1337); // EXPECT definite-leak block 1337 count 1 bytes 1337
    if (text)
        snprintf(text, 1337, "%s and %d", "text", 7);
}

__attribute__((noinline)) static void lose_wide(void) {
    wchar_t *wide = malloc(40 * sizeof *wide); // EXPECT definite-leak block 160 count 1 bytes 160
    if (wide)
        wmemset(wide, L'x', 40);
}

static void *worker(void *unused) {
    lose_text();
    ready = 1;
    for (;;)
        pause();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    while (!ready)
        usleep(100);
    lose_wide();
    return 0;
}
