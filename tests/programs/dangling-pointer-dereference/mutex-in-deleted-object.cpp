// A mutex is unlocked after the object it is part of has been deleted.
// RUN: cflags -pthread
#include <mutex>

struct Account {
    std::mutex lock;
    long balance = 0;
};

int main() {
    auto *account = new Account; // ALLOC
    account->lock.lock();
    account->balance++;
    delete account; // FREE
    account->lock.unlock(); // EXPECT dangling-pointer-dereference write 40 block 48 inside 0 in pthread_mutex_unlock
}
