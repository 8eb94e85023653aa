// A mutex is locked after it was destroyed.
#include <pthread.h>

static pthread_mutex_t lock;
static int lines;

static void log_line(void) {
    pthread_mutex_lock(&lock); // EXPECT destroyed-lock-in-use in pthread_mutex_lock
    lines++;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    if (pthread_mutex_init(&lock, NULL)) return 2;
    log_line();
    pthread_mutex_destroy(&lock);
    log_line();
    return 0;
}
