// A thread waits with a mutex that it holds.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    pthread_mutex_lock(&lock);
    int result = pthread_cond_timedwait(&changed, &lock, &moment);
    pthread_mutex_unlock(&lock);
    return result != ETIMEDOUT;
}
