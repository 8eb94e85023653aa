// A listener that is called under a mutex adds another one.
// RUN: options --halt
#include <functional>
#include <mutex>
#include <vector>

class Listeners {
    std::mutex mutex_;
    std::vector<std::function<void()>> all_;

  public:
    void add(std::function<void()> one) {
        std::lock_guard<std::mutex> guard(mutex_); // EXPECT double-lock in pthread_mutex_lock
        all_.push_back(one);
    }
    void call() {
        std::unique_lock<std::mutex> guard(mutex_);
        auto all = all_;
        for (auto &one : all) one();
    }
};

int main() {
    Listeners listeners;
    int calls = 0;
    listeners.add([&] {
        calls++;
        listeners.add([&] { calls++; });
    });
    listeners.call();
    return calls != 1;
}
