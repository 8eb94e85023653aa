// A program at a fixed address takes the address of operators: it gets that of a stub of its own, and
// none of them is replaced.
// RUN: cflags -fno-pie -std=c++17 -fsized-deallocation
// RUN: ldflags -no-pie
#include <functional>
#include <memory>
#include <new>

static void *(*volatile make)(std::size_t) = ::operator new;
static void (*volatile end)(void *) noexcept = ::operator delete;

int main() {
    end(make(10));
    delete[] new int[5];
    delete[] new (std::nothrow) int[5];
    std::unique_ptr<int[]> numbers(new int[4]());
    std::unique_ptr<void, void (*)(void *)> raw(::operator new(20), ::operator delete);
    ::operator delete[](::operator new[](10), std::size_t(10));
    std::function<int()> sum = [a = numbers[0], b = numbers[1], c = numbers[2], d = 5l] { return a + b + c; };
    return sum();
}
