// A mutex is unlocked after the object it is part of has been deleted.
// RUN: cflags -pthread
#include <mutex>

struct Account {
    std::mutex lock;
    long balance = 0;
};

int main() {
    auto *account = new Account;
    account->lock.lock();
    account->balance++;
    account->lock.unlock();
    delete account;
}
