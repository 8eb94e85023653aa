// A loop joins the first thread twice.
#include <pthread.h>

static void *work(void *argument) { return argument; }

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, NULL)) return 2;
    for (int i = 0; i < 2; i++) pthread_join(threads[0], NULL); // EXPECT double-join in pthread_join
    pthread_detach(threads[1]);
    return 0;
}
