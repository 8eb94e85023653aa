// A mutex is released at one place.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;

static int take(void) {
    pthread_mutex_lock(&lock);
    if (!left) {
        goto out;
    }
    left--;
out:
    pthread_mutex_unlock(&lock);
    return left;
}

int main(void) { return take() + take(); }
