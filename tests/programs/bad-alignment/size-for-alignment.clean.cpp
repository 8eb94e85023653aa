// new[] that may fail, with the alignment of an element.
#include <new>

struct Cell {
    double x, y, z;
};

int main() {
    void *p = ::operator new[](10 * sizeof(Cell), std::align_val_t(alignof(Cell)), std::nothrow);
    ::operator delete[](p, std::align_val_t(alignof(Cell)), std::nothrow);
    return 0;
}
