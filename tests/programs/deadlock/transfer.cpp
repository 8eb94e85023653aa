// Two transfers lock their accounts in two orders.
// RUN: options --halt
#include <atomic>
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int money = 10;
};

static std::atomic<int> started{0};

static void transfer(Account &from, Account &to) {
    std::lock_guard<std::mutex> first(from.mutex);
    started++;
    while (started < 2) std::this_thread::yield();
    std::lock_guard<std::mutex> second(to.mutex); // EXPECT deadlock in pthread_mutex_lock
    from.money--;
    to.money++;
}

int main() {
    Account a, b;
    std::thread one(transfer, std::ref(a), std::ref(b));
    std::thread two(transfer, std::ref(b), std::ref(a));
    one.join();
    two.join();
    return a.money != 10;
}
