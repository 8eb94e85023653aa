// A guard is moved within a thread.
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int money = 0;
};

static void pay(Account &account, std::unique_lock<std::mutex> guard) {
    account.money++;
    guard.unlock();
}

int main() {
    Account account;
    std::unique_lock<std::mutex> guard(account.mutex);
    pay(account, std::move(guard));
    return account.money != 1;
}
