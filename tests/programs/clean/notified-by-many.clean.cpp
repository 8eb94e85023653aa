// Several threads wake others by the same condition variable, without holding its mutex.
// RUN: options --halt --enable races
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable changed;
static int made, used;

static void make() {
    for (int i = 0; i < 100; i++) {
        {
            std::lock_guard<std::mutex> guard(mutex);
            made++;
        }
        changed.notify_one();
    }
    changed.notify_all();
}

static void use() {
    for (int i = 0; i < 100; i++) {
        std::unique_lock<std::mutex> guard(mutex);
        changed.wait(guard, [] { return used < made; });
        used++;
    }
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) {
        threads.emplace_back(make);
        threads.emplace_back(use);
    }
    for (auto &thread : threads) thread.join();
    return used != 200;
}
