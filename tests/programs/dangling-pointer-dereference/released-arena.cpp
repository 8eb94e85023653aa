// Memory of a monotonic resource is used after it has been released.
// RUN: cflags -std=c++17
#include <memory_resource>
#include <vector>

int main() {
    std::pmr::monotonic_buffer_resource arena;
    std::pmr::vector<int> numbers(100, 7, &arena); // ALLOC
    int *first = numbers.data();
    arena.release(); // FREE
    return *first != 7; // EXPECT dangling-pointer-dereference read 4
}
