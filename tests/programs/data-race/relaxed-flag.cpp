// A flag that orders nothing says that a value is there.
// RUN: options --enable races
#include <atomic>
#include <thread>

static int value;
static std::atomic<bool> ready;

int main() {
    std::thread maker([] {
        value = 42;
        ready.store(true, std::memory_order_relaxed);
    });
    while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
    int seen = value; // EXPECT data-race
    maker.join();
    return seen != 42;
}
