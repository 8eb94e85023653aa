// An allocator forgets the alignment that it names when it gives memory back.
// Memcheck misses this: versions before 3.22 do not look at alignments
// RUN: cflags -std=c++17 -fsized-deallocation
#include <cstddef>
#include <new>
#include <vector>

template <class T> struct Aligned {
    using value_type = T;
    Aligned() = default;
    template <class U> Aligned(const Aligned<U> &) {}
    T *allocate(std::size_t n) {
        return static_cast<T *>(::operator new[](n * sizeof(T))); // ALLOC
    }
    void deallocate(T *p, std::size_t n) {
        ::operator delete[](p, n * sizeof(T), std::align_val_t(32)); // EXPECT mismatched-alignment block 80 inside 0
    }
    bool operator==(const Aligned &) const { return true; }
    bool operator!=(const Aligned &) const { return false; }
};

int main() {
    std::vector<double, Aligned<double>> numbers(10);
    return static_cast<int>(numbers[9]);
}
