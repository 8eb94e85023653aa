// The first thread has ended, and its files in /proc are empty, when another one ends the process.
// RUN: cflags -pthread
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char *kept;

static void *last(void *unused) {
    char byte;
    for (ssize_t count = 1; count > 0; usleep(1000)) {
        int file = open("/proc/self/maps", O_RDONLY);
        count = read(file, &byte, 1);
        close(file);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    kept = malloc(100);
    if (!kept || pthread_create(&thread, NULL, last, NULL)) return 1;
    pthread_exit(NULL);
}
