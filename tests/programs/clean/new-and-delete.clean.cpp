// new and delete of every kind: arrays with and without a count, placement, aligned, class-specific
// operators, through a virtual destructor.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

struct WithDestructor {
    ~WithDestructor() { n = 0; }
    int n = 1;
};

struct alignas(64) Wide {
    char c[64];
};

struct Own {
    static void *operator new(std::size_t n) { return std::malloc(n); }
    static void operator delete(void *p) { std::free(p); }
    long v = 3;
};

struct First {
    virtual ~First() = default;
    long a = 1;
};

struct Second {
    virtual ~Second() = default;
    long b = 2;
};

struct Both : First, virtual Second {
    char buffer[33] = {};
};

int main() {
    delete new int(3);
    delete[] new char[0];
    delete[] new WithDestructor[10];
    delete[] new WithDestructor[0];
    Wide *w = new Wide[3];
    int bad = reinterpret_cast<std::uintptr_t>(w) % 64 != 0;
    std::memset(w[2].c, 1, 64);
    delete[] w;
    delete new Own;
    First *first = new Both;
    delete first;
    Second *second = new Both;
    delete second;
    alignas(WithDestructor) char place[sizeof(WithDestructor)];
    auto *placed = new (place) WithDestructor;
    bad += placed->n != 1;
    placed->~WithDestructor();
    void *raw = std::malloc(4 * sizeof(Both));
    auto *array = static_cast<Both *>(raw);
    std::uninitialized_default_construct_n(array, 4);
    bad += array[3].b != 2;
    std::destroy_n(array, 4);
    std::free(raw);
    int Both::*none = nullptr;
    (void)none;
    auto shared = std::make_shared<Both>();
    std::weak_ptr<Both> weak = shared;
    shared.reset();
    return bad + !weak.expired();
}
