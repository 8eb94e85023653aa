// A mutex is destroyed after its last use.
#include <pthread.h>

static pthread_mutex_t lock;
static int lines;

static void log_line(void) {
    pthread_mutex_lock(&lock);
    lines++;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    if (pthread_mutex_init(&lock, NULL)) return 2;
    log_line();
    log_line();
    pthread_mutex_destroy(&lock);
    return 0;
}
