// What orders threads in C++: locks, conditions, futures, atomics, fences, counts, single calls.
// RUN: options --enable races
#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {
struct Base {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    virtual void finish() {}
    virtual ~Base() { done = false; }
};

struct Derived : Base {
    void finish() override {
        std::lock_guard<std::mutex> held(mutex);
        done = true;
        changed.notify_all();
    }
};

struct Value {
    int value;
    explicit Value(int value) : value(value) {}
    ~Value() { value = -1; }
};

Value &once() {
    static Value made(7);
    return made;
}

int counts() {
    int sum = 0;
    for (int round = 0; round < 20; round++) {
        auto shared = std::make_shared<Value>(round);
        std::atomic<int> seen{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; i++) threads.emplace_back([shared, &seen] { seen += shared->value; });
        shared.reset();
        for (auto &each : threads) each.join();
        sum += seen;
    }
    return sum;
}

int fences() {
    int plain = 0, seen;
    std::atomic<int> flag{0};
    std::thread maker([&] {
        plain = 3;
        std::atomic_thread_fence(std::memory_order_release);
        flag.store(1, std::memory_order_relaxed);
    });
    while (!flag.load(std::memory_order_relaxed)) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    seen = plain;
    maker.join();
    return seen;
}

int spins() {
    std::atomic_flag lock = ATOMIC_FLAG_INIT;
    int counted = 0;
    auto count = [&] {
        for (int i = 0; i < 100; i++) {
            while (lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
            counted++;
            lock.clear(std::memory_order_release);
        }
    };
    std::thread a(count), b(count);
    a.join();
    b.join();
    return counted;
}

int queue() {
    std::mutex mutex;
    std::condition_variable filled;
    std::queue<std::unique_ptr<Value>> jobs;
    int sum = 0;
    std::thread worker([&] {
        for (int i = 0; i < 10; i++) {
            std::unique_lock<std::mutex> held(mutex);
            filled.wait(held, [&] { return !jobs.empty(); });
            auto job = std::move(jobs.front());
            jobs.pop();
            held.unlock();
            sum += job->value;
        }
    });
    for (int i = 0; i < 10; i++) {
        auto job = std::make_unique<Value>(i);
        {
            std::lock_guard<std::mutex> held(mutex);
            jobs.push(std::move(job));
        }
        filled.notify_one();
    }
    worker.join();
    return sum;
}

int readers() {
    std::shared_mutex mutex;
    int value = 0;
    std::atomic<int> sum{0};
    std::thread writer([&] {
        for (int i = 0; i < 50; i++) {
            std::unique_lock<std::shared_mutex> held(mutex);
            value++;
        }
    });
    auto read = [&] {
        for (int i = 0; i < 50; i++) {
            std::shared_lock<std::shared_mutex> held(mutex);
            sum += value;
        }
    };
    std::thread a(read), b(read);
    for (auto *each : {&writer, &a, &b}) each->join();
    return value;
}

int futures() {
    std::promise<std::vector<int>> promise;
    auto got = promise.get_future();
    std::thread maker([&] { promise.set_value({1, 2, 3}); });
    int sum = 0;
    for (int each : got.get()) sum += each;
    maker.join();
    auto failing = std::async(std::launch::async, []() -> int { throw Value(4); });
    try {
        failing.get();
    } catch (const Value &value) {
        sum += value.value;
    }
    return sum;
}
}

int main() {
    auto *object = new Derived;
    std::thread finisher([object] { object->finish(); });
    {
        std::unique_lock<std::mutex> held(object->mutex);
        object->changed.wait(held, [object] { return object->done; });
    }
    finisher.join();
    delete object;
    std::once_flag flag;
    int made = 0;
    auto use = [&] {
        std::call_once(flag, [&] { made = once().value; });
        if (made != once().value) std::terminate();
    };
    std::thread a(use), b(use);
    a.join();
    b.join();
    if (counts() != 3 * 190 || fences() != 3 || spins() != 200 || queue() != 45) return 1;
    return readers() != 50 || futures() != 10;
}
