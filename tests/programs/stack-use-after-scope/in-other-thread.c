// A thread is given the address of a variable of the function that has started it and returned.
// RUN: cflags -pthread
#include <pthread.h>
#include <semaphore.h>

static sem_t go;

struct task {
    int from, to;
};

static void *work(void *argument) {
    const struct task *task = argument;
    sem_wait(&go);
    long sum = 0;
    for (int i = task->from; i < 100; i++)  // EXPECT stack-use-after-scope read 4 block 8 inside 0
        sum += i;
    return (void *)sum;
}

__attribute__((noinline)) static pthread_t start(int from) {
    struct task task = {from, from + 10};
    pthread_t thread;
    pthread_create(&thread, NULL, work, &task);
    return thread;
}

int main(int argc, char **argv) {
    (void)argv;
    sem_init(&go, 0, 0);
    pthread_t thread = start(argc);
    sem_post(&go);
    pthread_join(thread, NULL);
    return 0;
}
