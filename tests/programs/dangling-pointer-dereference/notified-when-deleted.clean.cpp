// A condition variable is notified in a mailbox that is deleted: the call goes to libstdc++.
// RUN: cflags -pthread
#include <condition_variable>
#include <memory>

struct Mailbox {
    int letters = 0;
    std::condition_variable filled;
};

int main() {
    auto box = std::make_unique<Mailbox>();
    std::condition_variable &filled = box->filled;
    filled.notify_one();
    filled.notify_all();
    box.reset();
}
