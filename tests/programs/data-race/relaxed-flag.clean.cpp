// A flag that orders nothing says that a value is there, and fences order it.
// RUN: options --enable races
#include <atomic>
#include <thread>

static int value;
static std::atomic<bool> ready;

int main() {
    std::thread maker([] {
        value = 42;
        std::atomic_thread_fence(std::memory_order_release);
        ready.store(true, std::memory_order_relaxed);
    });
    while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    int seen = value;
    maker.join();
    return seen != 42;
}
