// The guard unlocks what its owner has unlocked before.
#include <pthread.h>

#include <stdexcept>

struct Guard {
    explicit Guard(pthread_mutex_t &m) : mutex(m) { pthread_mutex_lock(&mutex); }
    ~Guard() { pthread_mutex_unlock(&mutex); }
    pthread_mutex_t &mutex;
};

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;

static void transfer(int amount)
{
    Guard guard(accounts);
    if (amount < 0) {
        pthread_mutex_unlock(&accounts); // the guard does it again
        throw std::invalid_argument("amount");
    }
}

int main()
{
    try {
        transfer(-1);
    } catch (const std::invalid_argument &) {
    }
    return 0;
}
