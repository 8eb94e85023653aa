// A program replaces operator new and delete, and nothing else: arrays, sized, aligned and nothrow
// forms must come to its own. The C++ library's objects do, too.
// RUN: cflags -std=c++17
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

static int made, ended;

void *operator new(std::size_t size) {
    made++;
    if (void *p = std::malloc(size ? size : 1))
        return p;
    throw std::bad_alloc();
}

void operator delete(void *p) noexcept {
    ended += p != nullptr;
    std::free(p);
}

void *operator new(std::size_t size, std::align_val_t alignment) {
    made++;
    void *p = nullptr;
    if (posix_memalign(&p, std::size_t(alignment), size))
        throw std::bad_alloc();
    return p;
}

void operator delete(void *p, std::align_val_t) noexcept {
    ended += p != nullptr;
    std::free(p);
}

struct alignas(64) Line {
    char bytes[64];
};

int main() {
    volatile std::size_t huge = std::size_t(1) << 62;
    delete new int;
    delete[] new int[10];
    delete new (std::nothrow) int;
    delete[] new (std::nothrow) std::string[3];
    delete new Line;
    delete[] new Line[2];
    delete new (std::nothrow) Line;
    std::vector<std::string> v(10, std::string(100, 'x'));
    std::make_shared<int>(3);
    v.clear();
    v.shrink_to_fit();
    char *failed = new (std::nothrow) char[huge];
    return made - 1 != ended || made < 18 || failed;
}
