// A static object uses another one, whose lock was destroyed first.
#include <pthread.h>

class Cache {
    pthread_rwlock_t lock_;
    int hits_ = 0;

  public:
    Cache() { pthread_rwlock_init(&lock_, nullptr); }
    ~Cache() { pthread_rwlock_destroy(&lock_); }
    int hit() {
        pthread_rwlock_wrlock(&lock_); // EXPECT destroyed-lock-in-use in pthread_rwlock_wrlock
        int hits = ++hits_;
        pthread_rwlock_unlock(&lock_);
        return hits;
    }
};

struct Goodbye {
    Cache *cache = nullptr;
    ~Goodbye() { cache->hit(); }
};

static Goodbye goodbye;
static Cache cache;

int main() {
    goodbye.cache = &cache;
    return cache.hit() != 1;
}
