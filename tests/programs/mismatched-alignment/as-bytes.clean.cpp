// A page that is aligned beyond the usual is given back with its alignment.
// RUN: cflags -std=c++17 -fsized-deallocation
#include <new>

struct alignas(64) Page {
    char bytes[64];
};

int main() {
    Page *page = new Page();
    int first = page->bytes[0];
    ::operator delete(page, std::align_val_t(alignof(Page)));
    return first;
}
