// A spin lock is released on a path that does not take it.
#include <pthread.h>

static pthread_spinlock_t lock;
static int count;

static void add(int n) {
    if (n > 1) pthread_spin_lock(&lock);
    count += n;
    pthread_spin_unlock(&lock); // EXPECT unlock-of-unlocked in pthread_spin_unlock
}

int main(void) {
    if (pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE)) return 2;
    add(2);
    add(1);
    pthread_spin_destroy(&lock);
    return count != 3;
}
