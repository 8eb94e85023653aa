// A guard is moved into another thread.
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int money = 0;
};

static void pay(Account &account, std::unique_lock<std::mutex> guard) {
    account.money++;
    guard.unlock(); // EXPECT unlock-by-another-thread in pthread_mutex_unlock
}

int main() {
    Account account;
    std::unique_lock<std::mutex> guard(account.mutex);
    std::thread other(pay, std::ref(account), std::move(guard));
    other.join();
    return account.money != 1;
}
