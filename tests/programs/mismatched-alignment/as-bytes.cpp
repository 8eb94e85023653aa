// A page that is aligned beyond the usual is given back as plain bytes.
// Memcheck misses this: versions before 3.22 do not look at alignments
// RUN: cflags -std=c++17 -fsized-deallocation
#include <new>

struct alignas(64) Page {
    char bytes[64];
};

int main() {
    Page *page = new Page(); // ALLOC
    int first = page->bytes[0];
    ::operator delete(page); // EXPECT mismatched-alignment block 64 inside 0
    return first;
}
