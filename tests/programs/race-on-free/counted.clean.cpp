// Threads share an object, and the count of those who use it orders its end.
// RUN: options --enable races
#include <atomic>
#include <thread>

struct Shared {
    std::atomic<int> users{2};
    int value = 0;
    void release() {
        if (users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
};

int main() {
    Shared *shared = new Shared;
    std::thread other([shared] {
        shared->value = 1;
        shared->release();
    });
    while (shared->users.load(std::memory_order_relaxed) != 1) std::this_thread::yield();
    shared->release();
    other.join();
    return 0;
}
