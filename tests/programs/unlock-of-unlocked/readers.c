// The caller of a function that releases a lock releases it, too.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4] = {1, 2, 3, 4};

static int find(int value) {
    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 4; i++)
        if (table[i] == value) {
            pthread_rwlock_unlock(&lock);
            return i;
        }
    pthread_rwlock_unlock(&lock);
    return -1;
}

static int has(int value) {
    int at = find(value);
    pthread_rwlock_unlock(&lock); // EXPECT unlock-of-unlocked in pthread_rwlock_unlock
    return at >= 0;
}

int main(void) { return !has(3); }
