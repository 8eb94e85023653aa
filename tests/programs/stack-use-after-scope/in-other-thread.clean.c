// A thread is given the address of a variable of the function that starts it and waits for it.
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
    for (int i = task->from; i < 100; i++)
        sum += i;
    return (void *)sum;
}

__attribute__((noinline)) static void run(int from) {
    struct task task = {from, from + 10};
    pthread_t thread;
    pthread_create(&thread, NULL, work, &task);
    sem_post(&go);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    (void)argv;
    sem_init(&go, 0, 0);
    for (int i = 0; i < 40; i++)
        run(argc + i);
    return 0;
}
