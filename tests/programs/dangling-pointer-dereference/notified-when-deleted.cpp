// A condition variable is notified in a mailbox that is deleted: the call goes to libstdc++.
// ASan misses this: it does not see what the C++ library reads
// RUN: cflags -pthread
#include <condition_variable>
#include <memory>

struct Mailbox {
    int letters = 0;
    std::condition_variable filled;
};

int main() {
    auto box = std::make_unique<Mailbox>(); // ALLOC
    std::condition_variable &filled = box->filled;
    filled.notify_one();
    box.reset(); // FREE
    filled.notify_all(); // EXPECT dangling-pointer-dereference write 48 block 56 inside 8 in std::condition_variable::notify_all
}
