// A thread writes past the end of a local array of the one that started it.
// RUN: cflags -pthread
#include <pthread.h>
#include <stddef.h>

static void *fill(void *given) {
    int *numbers = given;
    for (int i = 0; i < 33; i++)
        numbers[i] = i;  // EXPECT stack-buffer-overflow write 4 block 128 after 0
    return NULL;
}

int main(void) {
    int numbers[32];
    pthread_t thread;
    pthread_create(&thread, NULL, fill, numbers);
    pthread_join(thread, NULL);
    return numbers[31] != 31;
}
