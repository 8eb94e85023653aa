// A mutex is released before a jump to where it is released.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;

static int take(void) {
    pthread_mutex_lock(&lock);
    if (!left) {
        pthread_mutex_unlock(&lock);
        goto out;
    }
    left--;
out:
    pthread_mutex_unlock(&lock); // EXPECT unlock-of-unlocked in pthread_mutex_unlock
    return left;
}

int main(void) { return take() + take(); }
