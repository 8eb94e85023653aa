// A condition variable is signalled when who waits for it may have freed it.
// RUN: options --halt --enable races
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct task {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int done;
};

static void *work(void *argument) {
    struct task *task = argument;
    pthread_mutex_lock(&task->mutex);
    task->done = 1;
    pthread_mutex_unlock(&task->mutex);
    pthread_cond_signal(&task->changed);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct task *task = malloc(sizeof *task);
    if (!task) return 2;
    pthread_mutex_init(&task->mutex, NULL);
    pthread_cond_init(&task->changed, NULL);
    task->done = 0;
    if (pthread_create(&thread, NULL, work, task)) return 2;
    pthread_mutex_lock(&task->mutex);
    while (!task->done) pthread_cond_wait(&task->changed, &task->mutex);
    pthread_mutex_unlock(&task->mutex);
    usleep(200000);
    free(task); // EXPECT race-on-free
    pthread_join(thread, NULL);
    return 0;
}
