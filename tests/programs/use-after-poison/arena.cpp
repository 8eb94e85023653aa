// An arena is reset while the program still holds an object in it.
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
extern "C" void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));

class Arena {
  public:
    explicit Arena(size_t size) : memory_(static_cast<char *>(std::malloc(size))), size_(size) { // ALLOC
        reset();
    }
    ~Arena() { std::free(memory_); }
    void *get(size_t size) {
        char *p = memory_ + used_;
        used_ += (size + 7) & ~size_t{7};
        if (__asan_unpoison_memory_region)
            __asan_unpoison_memory_region(p, size);
        return p;
    }
    __attribute__((noinline)) void reset() {
        used_ = 0;
        if (__asan_poison_memory_region)
            __asan_poison_memory_region(memory_, size_);
    }

  private:
    char *memory_;
    size_t size_, used_ = 0;
};

struct Point {
    long x, y;
};

int main() {
    Arena arena(256);
    auto *first = new (arena.get(sizeof(Point))) Point{1, 2};
    auto *point = new (arena.get(sizeof(Point))) Point{3, 4};
    long sum = first->x + point->y;
    arena.reset();
    sum += point->y; // EXPECT use-after-poison read 8 block 256 inside 24
    return sum != 9;
}
