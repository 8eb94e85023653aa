// A thread hands out a pointer into its thread_local vector and ends.
// RUN: cflags -pthread
#include <thread>
#include <vector>

thread_local std::vector<int> values;

int main() {
    int *first = nullptr;
    std::thread([&first] {
        values.assign(10, 3); // ALLOC
        first = values.data();
    }).join();
    return *first != 3; // EXPECT dangling-pointer-dereference read 4 block 40 inside 0
}
