// operator new of the program's own, which new[] has to call; and one that finds no memory.
#include <cstdio>
#include <cstdlib>
#include <new>

#ifdef OWN
static int called;
void *operator new(size_t size) {
    called++;
    return std::malloc(size);
}
void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, size_t) noexcept { std::free(block); }
#else
static int called = 2;
#endif

int main() {
    volatile size_t huge = static_cast<size_t>(1) << 60;
    int *volatile one = new int, *volatile many = new int[10];
    delete one;
    delete[] many;
    int thrown = 0;
#ifndef OWN
    try {
        one = reinterpret_cast<int *>(new char[huge]);
    } catch (const std::bad_alloc &) {
        thrown++;
    }
    try {
        one = static_cast<int *>(::operator new(huge));
    } catch (const std::bad_alloc &) {
        thrown++;
    }
#endif
    std::printf("%d %d\n", called, thrown);
}
