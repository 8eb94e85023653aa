// A function releases what it has locked.
#include <mutex>
#include <shared_mutex>
#include <thread>

struct Table {
    std::shared_mutex mutex;
    int rows = 0;
    void add() {
        mutex.lock();
        ++rows;
        mutex.unlock();
    }
};

int main() {
    Table table;
    std::thread other([&] { table.add(); });
    other.join();
    return table.rows != 1;
}
