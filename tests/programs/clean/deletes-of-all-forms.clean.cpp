// new and delete in forms that belong together though they differ: sized and plain, nothrow; aligned ones;
// the C++ library's temporary buffers; what it allocates with malloc.
// RUN: cflags -std=c++17 -fsized-deallocation
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct alignas(128) Page {
    char bytes[128];
};

struct Base {
    virtual ~Base() = default;
};
struct Derived : Base {
    int more[10];
};

int main() {
    ::operator delete(::operator new(10), std::size_t(10));
    ::operator delete[](::operator new[](10), std::size_t(10));
    ::operator delete(::operator new(10, std::nothrow));
    ::operator delete[](::operator new[](10), std::nothrow);
    ::operator delete(::operator new(128, std::align_val_t(128)), std::size_t(128), std::align_val_t(128));
    delete new Page;
    delete[] new Page[3];
    delete static_cast<Base *>(new Derived);
    std::unique_ptr<void, void (*)(void *)> raw(::operator new(20), ::operator delete);
    std::vector<std::string> words(50, "some words that are too long for the object itself");
    std::stable_sort(words.begin(), words.end(), std::greater<>());
    auto *temporary = std::get_temporary_buffer<int>(10).first;
    std::return_temporary_buffer(temporary);
    int status;
    std::free(abi::__cxa_demangle("_ZN1A1BEv", nullptr, nullptr, &status));
    return status;
}
