// Two transfers lock their accounts together.
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
    started++;
    while (started < 2) std::this_thread::yield();
    std::scoped_lock both(from.mutex, to.mutex);
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
