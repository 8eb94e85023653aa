// std::thread, mutex, condition variable, future and thread-local objects with destructors.
// RUN: cflags -pthread
#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable changed;
static std::queue<std::unique_ptr<std::string>> queue;
thread_local std::vector<int> mine;

static int consume(int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [] { return !queue.empty(); });
        auto s = std::move(queue.front());
        queue.pop();
        hold.unlock();
        total += static_cast<int>(s->size());
        mine.push_back(total);
    }
    return total;
}

int main() {
    auto result = std::async(std::launch::async, consume, 500);
    std::vector<std::thread> threads;
    for (int t = 0; t < 5; t++)
        threads.emplace_back([t] {
            for (int i = 0; i < 100; i++) {
                auto s = std::make_unique<std::string>(50 + t, 'x');
                {
                    std::lock_guard<std::mutex> hold(lock);
                    queue.push(std::move(s));
                }
                changed.notify_one();
            }
        });
    for (auto &t : threads)
        t.join();
    return result.get() != 100 * (50 + 51 + 52 + 53 + 54);
}
