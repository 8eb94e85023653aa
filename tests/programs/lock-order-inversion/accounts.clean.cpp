// Transfers in both directions lock the giver first, all under a lock of the bank.
// RUN: options --halt
#include <mutex>
#include <thread>
#include <chrono>

static std::mutex bank;

struct Account {
    std::mutex mutex;
    int money = 10;
};

static void transfer(Account &from, Account &to, int delay) {
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    std::lock_guard<std::mutex> gate(bank);
    std::lock_guard<std::mutex> first(from.mutex);
    std::lock_guard<std::mutex> second(to.mutex);
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
