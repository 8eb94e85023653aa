// A thread hands out a pointer into its thread_local vector and ends.
// RUN: cflags -pthread
#include <thread>
#include <vector>

static std::vector<int> values;

int main() {
    int *first = nullptr;
    std::thread([&first] {
        values.assign(10, 3);
        first = values.data();
    }).join();
    return *first != 3;
}
