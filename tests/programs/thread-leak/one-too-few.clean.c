// A loop joins all threads.
#include <pthread.h>
#include <unistd.h>

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, NULL)) return 2;
    usleep(300000);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
