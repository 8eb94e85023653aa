// Blocks that only unusual pointers hold: behind the count of an array, at the end of an empty
// one, to a second base class, to a virtual base, in memory that was made read-only or is shared.
// RUN: options --enable interior-leak
#include <cstdlib>
#include <sys/mman.h>

struct Counted {
    ~Counted() {}
    long value = 0;
};

struct First {
    virtual ~First() = default;
    long a = 1;
};

struct Second {
    virtual ~Second() = default;
    long b = 2;
};

struct Both : First, Second {
    long c = 3;
};

struct Left : virtual First {
    long d = 4;
};

static Counted *array, *empty;
static Second *second;
static First *virtual_base;
static void **sealed, **shared;

__attribute__((noinline)) static void **page(int sharing) {
    return static_cast<void **>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0));
}

__attribute__((noinline)) static void fill(volatile int none) {
    array = new Counted[7];
    empty = new Counted[none];
    second = new Both;
    virtual_base = new Left;
    sealed = page(MAP_PRIVATE);
    sealed[9] = std::malloc(33);
    mprotect(sealed, 4096, PROT_READ);
    shared = page(MAP_SHARED);
    shared[9] = std::malloc(44);
}

int main() {
    fill(0);
    return 0;
}
