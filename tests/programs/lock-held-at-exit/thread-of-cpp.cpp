// A thread returns early from a function, and ends, with a shared mutex locked.
#include <mutex>
#include <shared_mutex>
#include <thread>

struct Table {
    std::shared_mutex mutex;
    int rows = 0;
    void add() {
        mutex.lock(); // EXPECT lock-held-at-exit
        if (++rows > 0) return;
        mutex.unlock();
    }
};

int main() {
    Table table;
    std::thread other([&] { table.add(); });
    other.join();
    return table.rows != 1;
}
