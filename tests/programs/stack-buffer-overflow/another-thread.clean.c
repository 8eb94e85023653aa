// A thread fills a local array of the one that started it.
// RUN: cflags -pthread
#include <pthread.h>
#include <stddef.h>

static void *fill(void *given) {
    int *numbers = given;
    for (int i = 0; i < 32; i++)
        numbers[i] = i;
    return NULL;
}

int main(void) {
    int numbers[32];
    pthread_t thread;
    pthread_create(&thread, NULL, fill, numbers);
    pthread_join(thread, NULL);
    return numbers[31] != 31;
}
