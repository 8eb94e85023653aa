// A pool is allocated for one alignment and given back with another.
// Memcheck misses this: versions before 3.22 do not look at alignments
// RUN: cflags -std=c++17 -fsized-deallocation
#include <new>

constexpr std::align_val_t cache_line{64};
constexpr std::align_val_t vector_line{128};

int main() {
    void *pool = ::operator new(1000, vector_line); // ALLOC
    static_cast<char *>(pool)[999] = 0;
    ::operator delete(pool, 1000, cache_line); // EXPECT mismatched-alignment block 1000 inside 0
    return 0;
}
