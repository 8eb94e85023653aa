// Transfers in both directions, at two times, lock the giver first.
// RUN: options --halt
#include <mutex>
#include <thread>
#include <chrono>

struct Account {
    std::mutex mutex;
    int money = 10;
};

static void transfer(Account &from, Account &to, int delay) {
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    std::lock_guard<std::mutex> first(from.mutex);
    std::lock_guard<std::mutex> second(to.mutex); // EXPECT lock-order-inversion in pthread_mutex_lock
    from.money--;
    to.money++;
}

int main() {
    Account a, b;
    std::thread one(transfer, std::ref(a), std::ref(b), 0);
    std::thread two(transfer, std::ref(b), std::ref(a), 200);
    one.join();
    two.join();
    return a.money != 10;
}
