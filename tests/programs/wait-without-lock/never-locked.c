// A thread waits with a mutex that nobody holds.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    int result = pthread_cond_timedwait(&changed, &lock, &moment); // EXPECT wait-without-lock in pthread_cond_timedwait
    pthread_mutex_unlock(&lock);
    return result != ETIMEDOUT;
}
