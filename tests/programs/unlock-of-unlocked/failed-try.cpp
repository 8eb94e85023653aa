// A mutex of C++ is released twice.
#include <mutex>
#include <thread>

static std::mutex mutex;

static int visit() {
    if (!mutex.try_lock()) return 0;
    int result = 1;
    mutex.unlock();
    mutex.unlock(); // EXPECT unlock-of-unlocked in pthread_mutex_unlock
    return result;
}

int main() {
    int result = 0;
    std::thread other([&] { result = visit(); });
    other.join();
    return result != 1;
}
