// Memory of a monotonic resource is used after it has been released.
// RUN: cflags -std=c++17
#include <memory_resource>
#include <vector>

int main() {
    std::pmr::monotonic_buffer_resource arena;
    std::pmr::vector<int> numbers(100, 7, &arena);
    int seven = numbers[0], *first = &seven;
    arena.release();
    return *first != 7;
}
