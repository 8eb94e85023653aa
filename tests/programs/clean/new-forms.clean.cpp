// Every form of the global operators new and delete, called by hand and by expressions: sized, aligned,
// of arrays, nothrow.
// RUN: cflags -fsized-deallocation
#include <cstdint>
#include <cstring>
#include <new>

struct alignas(64) Line {
    ~Line() { c[63] = 0; }
    char c[64];
};

static int misaligned(void *p, std::size_t align) {
    std::memset(p, 1, 100);
    return reinterpret_cast<std::uintptr_t>(p) % align != 0;
}

int main() {
    constexpr std::align_val_t page{4096}, line{64};
    int bad = 0;
    void *p = ::operator new(100);
    bad += misaligned(p, 16);
    ::operator delete(p);
    p = ::operator new(100);
    ::operator delete(p, 100);
    p = ::operator new(100, std::nothrow);
    bad += misaligned(p, 16);
    ::operator delete(p, std::nothrow);
    p = ::operator new(100, page);
    bad += misaligned(p, 4096);
    ::operator delete(p, page);
    p = ::operator new(100, line, std::nothrow);
    bad += misaligned(p, 64);
    ::operator delete(p, line, std::nothrow);
    p = ::operator new(100, line);
    ::operator delete(p, 100, line);
    p = ::operator new[](100);
    bad += misaligned(p, 16);
    ::operator delete[](p);
    p = ::operator new[](100);
    ::operator delete[](p, 100);
    p = ::operator new[](100, std::nothrow);
    ::operator delete[](p, std::nothrow);
    p = ::operator new[](100, page);
    bad += misaligned(p, 4096);
    ::operator delete[](p, page);
    p = ::operator new[](100, page, std::nothrow);
    ::operator delete[](p, page, std::nothrow);
    p = ::operator new[](100, line);
    ::operator delete[](p, 100, line);
    delete new Line;
    Line *lines = new (std::nothrow) Line[5];
    bad += misaligned(lines, 64);
    delete[] lines;
    void *nothing = ::operator new(0);
    bad += nothing == nullptr;
    ::operator delete(nothing, std::size_t(0));
    ::operator delete(nullptr);
    ::operator delete[](nullptr, page);
    return bad;
}
