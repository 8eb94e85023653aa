// A pool is allocated for one alignment and given back with the same.
// RUN: cflags -std=c++17 -fsized-deallocation
#include <new>

constexpr std::align_val_t vector_line{128};

int main() {
    void *pool = ::operator new(1000, vector_line);
    static_cast<char *>(pool)[999] = 0;
    ::operator delete(pool, 1000, vector_line);
    return 0;
}
