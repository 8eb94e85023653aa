// A spin lock is taken on every path.
#include <pthread.h>

static pthread_spinlock_t lock;
static int count;

static void add(int n) {
    if (n > 0) pthread_spin_lock(&lock);
    count += n;
    pthread_spin_unlock(&lock);
}

int main(void) {
    if (pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE)) return 2;
    add(2);
    add(1);
    pthread_spin_destroy(&lock);
    return count != 3;
}
